import { randomUUID } from "node:crypto";
import { html } from "../../src/lib/html.ts";
import { layOut, layOutIndex } from "./page.ts";
import { type Answer, redirectTo, type Site, type SiteRequest, sendJson, showPage } from "./site.ts";

export const MEMBER = { email: "member@example.com", password: "open sesame 42" };

interface LoginState {
  /** A session ends after this many requests to protected pages. Null: never. */
  expiresAfterRequests: number | null;
  /** Requests that each session has made to protected pages. Clearing it signs everyone out. */
  readonly sessions: Map<string, number>;
  /** The member's newsletter setting, which can be changed only after signing in. */
  newsletter: boolean;
}

/** Protected pages: by redirect to a sign-in page, or by a 401 after which the page shows a form in place. */
export function createLoginSite(): Site<LoginState> {
  const state: LoginState = { expiresAfterRequests: null, sessions: new Map(), newsletter: false };

  function isSignedIn({ cookies }: SiteRequest): boolean {
    const id = cookies.get("login_session") ?? "";
    const requests = (state.sessions.get(id) ?? Number.POSITIVE_INFINITY) + 1;
    if (requests > (state.expiresAfterRequests ?? Number.MAX_SAFE_INTEGER)) {
      state.sessions.delete(id);
      return false;
    }
    state.sessions.set(id, requests);
    return true;
  }

  function behindWall(route: (request: SiteRequest) => Answer): (request: SiteRequest) => Answer {
    return (request) => {
      if (isSignedIn(request)) return route(request);
      return redirectTo(`/login?next=${encodeURIComponent(request.path)}`, 302);
    };
  }

  function openSession({ field }: SiteRequest): Record<string, string> | null {
    if (field("email") !== MEMBER.email || field("password") !== MEMBER.password) return null;
    const id = randomUUID();
    state.sessions.set(id, 0);
    return { "set-cookie": `login_session=${id}; Path=/; HttpOnly; SameSite=Lax` };
  }

  return {
    state,
    routes: {
      "GET /": () => showPage(layOutIndex("Rowing Club", { "/members": "Members", "/account": "My account" })),
      "GET /members": behindWall(() => showPage(membersPage(state.newsletter))),
      "POST /newsletter": behindWall(({ field }) => {
        state.newsletter = field("newsletter") === "on";
        return redirectTo("/members");
      }),
      "GET /login": ({ query }) => showPage(loginPage(query.get("next") ?? "/members", false)),
      "POST /login": (request) => {
        const next = request.field("next");
        const cookie = openSession(request);
        if (cookie === null) return showPage(loginPage(next, true), 401);
        // Only paths of this site: everything else would be an open redirect.
        return redirectTo(/^\/[^/\\]/.test(next) ? next : "/members", 303, cookie);
      },
      "POST /logout": ({ cookies }) => {
        state.sessions.delete(cookies.get("login_session") ?? "");
        return redirectTo("/");
      },
      "GET /account": () => showPage(ACCOUNT_PAGE),
      "GET /api/account": (request) => {
        if (!isSignedIn(request)) return sendJson({ error: "Sign in first." }, 401);
        return sendJson({ membership: "M-20431", boat: "Kingfisher" });
      },
      "POST /api/login": (request) => {
        const cookie = openSession(request);
        if (cookie === null) return sendJson({ error: "Wrong e-mail address or password." }, 401);
        return sendJson({ signedIn: true }, 200, cookie);
      },
    },
  };
}

function membersPage(newsletter: boolean) {
  return layOut(
    "Members",
    html`<h1>Members</h1><p>The boathouse code is <strong>7318</strong>.</p>
    <form method="post" action="/newsletter">
      <label><input type="checkbox" name="newsletter" ${newsletter && "checked"}> Send me the newsletter</label>
      <button>Save</button>
    </form>
    <form method="post" action="/logout"><button>Sign out</button></form>`,
  );
}

function loginPage(next: string, isWrong: boolean) {
  return layOut(
    "Sign in",
    html`<h1>Sign in</h1>${isWrong && html`<p class="error" role="alert">Wrong e-mail address or password.</p>`}
    <form method="post" action="/login">
      <input type="hidden" name="next" value="${next}">
      ${CREDENTIAL_FIELDS}
    </form>`,
  );
}

const CREDENTIAL_FIELDS = html`
  <label>E-mail address <input name="email" type="email" autocomplete="username" required></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <button>Sign in</button>`;

const ACCOUNT_PAGE = layOut(
  "My account",
  html`<h1>My account</h1><div id="account" aria-live="polite">Loading…</div>
  <template id="sign-in"><p>Please sign in to see your account.</p><p class="error" role="alert"></p>
    <form>${CREDENTIAL_FIELDS}</form></template>
  <script>
    const place = document.getElementById("account");
    async function show() {
      const response = await fetch("/api/account");
      if (response.status === 401) return askToSignIn();
      const { membership, boat } = await response.json();
      place.innerHTML = "<dl><dt>Membership</dt><dd>" + membership + "</dd><dt>Boat</dt><dd>" + boat + "</dd></dl>";
    }
    function askToSignIn() {
      place.replaceChildren(document.getElementById("sign-in").content.cloneNode(true));
      place.querySelector("form").addEventListener("submit", async (event) => {
        event.preventDefault();
        const response = await fetch("/api/login", { method: "POST", body: new URLSearchParams(new FormData(event.target)) });
        if (response.ok) return show();
        place.querySelector("[role=alert]").textContent = (await response.json()).error;
      });
    }
    show();
  </script>`,
);
