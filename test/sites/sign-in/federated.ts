import { randomUUID } from "node:crypto";
import { html } from "../../../src/lib/html.ts";
import { layOut } from "../page.ts";
import { redirectTo, type Site, type SiteRequest, showPage } from "../site.ts";
import { MEMBER_NAME, MemberSessions } from "./member-sessions.ts";
import { CREDENTIAL_FORM } from "./sign-in-page.ts";

interface IdentityState {
  readonly sessions: MemberSessions;
  /** True once for each code that was issued. */
  redeem(code: string): boolean;
}

/** Signs people in for other sites: visitors with `return_to` are sent back there with a code. */
export function createIdentitySite(): Site<IdentityState> {
  const codes = new Set<string>();
  const state: IdentityState = { sessions: new MemberSessions(), redeem: (code) => codes.delete(code) };

  function sendBack({ query }: SiteRequest, cookie: Record<string, string> = {}) {
    const back = new URL(query.get("return_to") ?? "");
    const code = randomUUID();
    codes.add(code);
    back.searchParams.set("code", code);
    back.searchParams.set("state", query.get("state") ?? "");
    return redirectTo(back.href, 303, cookie);
  }

  return {
    state,
    routes: {
      "GET /authorize": (request) => {
        const isKnown = state.sessions.has(request.cookies.get("identity_session") ?? "");
        return isKnown ? sendBack(request) : showPage(identityPage(false));
      },
      "POST /authorize": (request) => {
        const token = state.sessions.open(request);
        if (token === null) return showPage(identityPage(true), 401);
        return sendBack(request, { "set-cookie": `identity_session=${token}; Path=/; HttpOnly; SameSite=Lax` });
      },
    },
  };
}

function identityPage(isWrong: boolean) {
  const alert = isWrong && html`<p class="error" role="alert">Wrong e-mail address or password.</p>`;
  return layOut("Example ID", html`<h1>Sign in with Example ID</h1>${alert}${CREDENTIAL_FORM}`);
}

interface FederatedState {
  readonly sessions: MemberSessions;
}

/** Has no passwords: people sign in at the identity site, in this tab or in a popup. */
export function createFederatedSite(identity: { url: string; state: IdentityState }): Site<FederatedState> {
  const state: FederatedState = { sessions: new MemberSessions() };
  const pending = new Set<string>();

  function leave({ query }: SiteRequest, origin: string) {
    const wish = randomUUID();
    pending.add(wish);
    const there = new URL(`${identity.url}/authorize`);
    there.searchParams.set("return_to", `${origin}/callback${query.has("popup") ? "?popup=1" : ""}`);
    there.searchParams.set("state", wish);
    return redirectTo(there.href, 302);
  }

  return {
    state,
    routes: {
      "GET /": () => redirectTo("/account", 302),
      "GET /sign-in": () => showPage(SIGN_IN_PAGE),
      "GET /leave": (request) => leave(request, request.query.get("origin") ?? ""),
      "GET /callback": ({ query }) => {
        if (!pending.delete(query.get("state") ?? "") || !identity.state.redeem(query.get("code") ?? "")) {
          return showPage(
            layOut("Not signed in", html`<h1>That did not work</h1><a href="/sign-in">Try again</a>`),
            400,
          );
        }
        const cookie = { "set-cookie": `member=${state.sessions.add()}; Path=/; HttpOnly; SameSite=Lax` };
        return query.has("popup") ? showPage(POPUP_PAGE, 200, cookie) : redirectTo("/account", 303, cookie);
      },
      "GET /account": ({ cookies }) => {
        if (!state.sessions.has(cookies.get("member") ?? "")) return redirectTo("/sign-in", 302);
        return showPage(ACCOUNT_PAGE);
      },
    },
  };
}

const SIGN_IN_PAGE = layOut(
  "Federated Club: sign in",
  html`<h1>Sign in</h1><p><a id="here">Continue with Example ID</a></p>
  <p><button type="button">Continue in a window</button></p>
  <script>
    const leave = "/leave?origin=" + encodeURIComponent(location.origin);
    here.href = leave;
    document.querySelector("button").onclick = () => { window.open(leave + "&popup=1", "identity", "width=500,height=600"); };
    onmessage = ({ origin }) => { if (origin === location.origin) location.assign("/account"); };
  </script>`,
);

const POPUP_PAGE = layOut(
  "Signed in",
  html`<p>Signed in.</p><script>window.opener?.postMessage("signed in", location.origin); window.close();</script>`,
);

const ACCOUNT_PAGE = layOut(
  "Federated Club: account",
  html`<h1>My account</h1><dl><dt>Name</dt><dd>${MEMBER_NAME}</dd></dl>`,
);
