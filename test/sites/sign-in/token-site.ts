import { Html, html } from "../../../src/lib/html.ts";
import { layOut } from "../page.ts";
import { redirectTo, type Site, sendJson, showPage } from "../site.ts";
import { MEMBER_NAME, MemberSessions } from "./member-sessions.ts";
import { CREDENTIAL_FORM } from "./sign-in-page.ts";

interface TokenState {
  readonly sessions: MemberSessions;
}

/** Keeps its token in the tab. */
export function createTabSessionSite(): Site<TokenState> {
  return createTokenSite(
    "Tab Club",
    `async function readToken() { return sessionStorage.getItem("token") ?? ""; }
     async function keepToken(token) { sessionStorage.setItem("token", token); }
     async function dropToken() { sessionStorage.clear(); }`,
  );
}

/** Keeps its token in a database, as a key that scripts can use but not read. */
export function createDatabaseSessionSite(): Site<TokenState> {
  return createTokenSite(
    "Database Club",
    `function inStore(mode, work) {
       return new Promise((resolve, reject) => {
         const opening = indexedDB.open("club", 1);
         opening.onupgradeneeded = () => opening.result.createObjectStore("tokens");
         opening.onerror = () => reject(opening.error);
         opening.onsuccess = () => {
           const transaction = opening.result.transaction("tokens", mode);
           const asking = work(transaction.objectStore("tokens"));
           transaction.oncomplete = () => { opening.result.close(); resolve(asking.result); };
         };
       });
     }
     async function readToken() { return (await inStore("readonly", (store) => store.get("token"))) ?? ""; }
     async function keepToken(token) { await inStore("readwrite", (store) => store.put(token, "token")); }
     async function dropToken() { await inStore("readwrite", (store) => store.clear()); }`,
  );
}

/** A script signs in and shows who is signed in; the server accepts only tokens, no cookies. */
function createTokenSite(title: string, keeping: string): Site<TokenState> {
  const state: TokenState = { sessions: new MemberSessions() };
  const script = new Html(keeping);
  return {
    state,
    routes: {
      "GET /": () => redirectTo("/account", 302),
      "GET /sign-in": () => showPage(signInPage(title, script)),
      "GET /account": () => showPage(accountPage(title, script)),
      "POST /api/sign-in": (request) => {
        const token = state.sessions.open(request);
        return token === null ? sendJson({ error: "Wrong e-mail address or password." }, 401) : sendJson({ token });
      },
      "POST /api/me": ({ field }) => {
        return state.sessions.has(field("token")) ? sendJson({ name: MEMBER_NAME }) : sendJson({}, 401);
      },
    },
  };
}

function signInPage(title: string, keeping: Html): Html {
  return layOut(
    `${title}: sign in`,
    html`<h1>Sign in</h1><p class="error" role="alert"></p>${CREDENTIAL_FORM}
    <script>
      ${keeping}
      document.querySelector("form").addEventListener("submit", async (event) => {
        event.preventDefault();
        const body = new URLSearchParams(new FormData(event.target));
        const response = await fetch("/api/sign-in", { method: "POST", body });
        const { token, error } = await response.json();
        if (!response.ok) return document.querySelector("[role=alert]").replaceChildren(error);
        await keepToken(token);
        location.assign("/account");
      });
    </script>`,
  );
}

function accountPage(title: string, keeping: Html): Html {
  return layOut(
    `${title}: account`,
    html`<h1>My account</h1><div id="account" aria-live="polite">Loading…</div>
    <script>
      ${keeping}
      (async () => {
        const body = new URLSearchParams({ token: await readToken() });
        const response = await fetch("/api/me", { method: "POST", body });
        if (!response.ok) return location.replace("/sign-in");
        const { name } = await response.json();
        account.innerHTML = "<dl><dt>Name</dt><dd></dd></dl><button>Sign out</button>";
        account.querySelector("dd").textContent = name;
        account.querySelector("button").onclick = async () => { await dropToken(); location.assign("/sign-in"); };
      })();
    </script>`,
  );
}
