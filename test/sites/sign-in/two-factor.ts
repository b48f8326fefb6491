import { randomUUID } from "node:crypto";
import { type Html, html } from "../../../src/lib/html.ts";
import { computeTotp, parseTotpSecret } from "../../../src/lib/totp.ts";
import { layOut } from "../page.ts";
import { type Answer, redirectTo, type Site, type SiteRequest, sendJson, showPage } from "../site.ts";

export const READER = {
  userName: "reader-4711",
  password: "canary-pass-7f3a9c",
  totpSecret: "KRUGKIDROVUWG2ZAMJZG653OEBTG66DP",
  name: "Robin Reader",
};

interface TwoFactorState {
  /** How the site asks for user name and password. */
  form: "one page" | "two pages" | "script";
  asksForCode: boolean;
  /** How often a password was sent, and how often a code. */
  passwords: number;
  codes: number;
  readonly sessions: Set<string>;
  /** Called for every page that only members see. */
  onMemberPage: (path: string) => void;
  loans: number;
}

/** A library: members sign in with a password and a code of an authenticator app. */
export function createTwoFactorSite(): Site<TwoFactorState> {
  const state: TwoFactorState = {
    form: "two pages",
    asksForCode: true,
    passwords: 0,
    codes: 0,
    sessions: new Set(),
    onMemberPage: () => {},
    loans: 0,
  };
  /** Those who have entered a right password, and not yet a code. */
  const halfway = new Set<string>();

  function behindWall(route: (request: SiteRequest) => Answer): (request: SiteRequest) => Answer {
    return (request) => {
      if (!state.sessions.has(request.cookies.get("library") ?? "")) return redirectTo("/sign-in");
      state.onMemberPage(request.path);
      return route(request);
    };
  }

  function open(): string {
    const id = randomUUID();
    (state.asksForCode ? halfway : state.sessions).add(id);
    return `library=${id}; Path=/; HttpOnly; SameSite=Lax`;
  }

  function checkPassword({ field }: SiteRequest): string | null {
    state.passwords += 1;
    return field("user") === READER.userName && field("password") === READER.password ? open() : null;
  }

  return {
    state,
    routes: {
      "GET /": () => showPage(layOut("Harbour Library", html`<h1>Harbour Library</h1><a href="/sign-in">Sign in</a>`)),
      "GET /sign-in": () => showPage(signInPage(state.form, null)),
      "POST /sign-in": (request) => {
        if (state.form === "two pages" && request.field("password") === "") {
          return showPage(passwordPage(request.field("user"), null));
        }
        const cookie = checkPassword(request);
        if (cookie === null) return showPage(signInPage(state.form, "Wrong user name or password."), 401);
        return redirectTo(state.asksForCode ? "/sign-in/code" : "/account", 303, { "set-cookie": cookie });
      },
      "POST /api/sign-in": (request) => {
        const cookie = checkPassword(request);
        if (cookie === null) return sendJson({ error: "Wrong" }, 401);
        return sendJson({ next: state.asksForCode ? "/sign-in/code" : "/account" }, 200, { "set-cookie": cookie });
      },
      "GET /sign-in/code": () => showPage(codePage(null)),
      "POST /sign-in/code": ({ field, cookies }) => {
        state.codes += 1;
        const id = cookies.get("library") ?? "";
        if (!halfway.has(id) || !isRightCode(field("otp"))) return showPage(codePage("Wrong code."), 401);
        halfway.delete(id);
        state.sessions.add(id);
        return redirectTo("/account");
      },
      "GET /account": behindWall(() => showPage(accountPage(READER.name, state.loans))),
      "GET /loans": behindWall(() =>
        showPage(layOut("Loans", html`<h1>Loans</h1><p>Books on loan: 3</p><a href="/fees">Fees</a>`)),
      ),
      "GET /fees": behindWall(() => showPage(layOut("Fees", html`<h1>Fees</h1><p>Open fees: €4.20</p>`))),
      "POST /loans": behindWall(() => {
        state.loans += 1;
        return redirectTo("/account");
      }),
    },
  };
}

function isRightCode(code: string): boolean {
  const secret = parseTotpSecret(READER.totpSecret);
  const now = Date.now();
  // As most sites do: the code of the period before is still accepted.
  return secret !== null && [now, now - 30_000].some((at) => computeTotp(secret, at) === code);
}

function signInPage(form: TwoFactorState["form"], problem: string | null): Html {
  const newsletter = html`<form action="/newsletter"><label>Newsletter <input name="address" type="email"></label><button>Subscribe</button></form>`;
  const error = problem !== null && html`<p class="error" role="alert">${problem}</p>`;
  const search = html`<form role="search"><input type="search" name="q" aria-label="Search the catalogue"></form>`;
  switch (form) {
    case "one page":
      return layOut(
        "Sign in",
        html`${search}<h1>Sign in</h1>${error}<form method="post"><label>Card number <input name="user"></label>
        <label>Password <input name="password" type="password"></label><button>Sign in</button></form>${newsletter}`,
      );
    case "two pages":
      return layOut(
        "Sign in",
        html`${search}<h1>Sign in</h1>${error}<form method="post"><label>Card number or e-mail <input name="user" autocomplete="username"></label>
        <button>Next</button></form>${newsletter}`,
      );
    case "script":
      return layOut(
        "Sign in",
        html`<h1>Sign in</h1><div><label>User <input id="user"></label><label>Password <input id="password" type="password"></label>
        <button type="button" onclick="alert('help')">Help</button><button type="button" id="go" disabled>Sign in</button><p role="alert" id="error"></p></div>
        <script>
          const [user, password, go] = ["user", "password", "go"].map((id) => document.getElementById(id));
          password.oninput = () => setTimeout(() => { go.disabled = password.value === ""; }, 300);
          go.onclick = async () => {
            const body = new URLSearchParams({ user: user.value, password: password.value });
            const response = await fetch("/api/sign-in", { method: "POST", body });
            if (response.ok) location.href = (await response.json()).next;
            else document.getElementById("error").textContent = "Wrong.";
          };
        </script>`,
      );
  }
}

function passwordPage(user: string, problem: string | null): Html {
  return layOut(
    "Sign in",
    html`<h1>Welcome</h1>${problem !== null && html`<p role="alert">${problem}</p>`}<form method="post"><input name="user" type="hidden" value="${user}">
    <label>Password <input name="password" type="password" autocomplete="current-password"></label><button>Sign in</button></form>`,
  );
}

function codePage(problem: string | null): Html {
  return layOut(
    "Code",
    html`<h1>Enter the code</h1>${problem !== null && html`<p role="alert">${problem}</p>`}
    <form method="post"><label>Code <input name="otp" inputmode="numeric" maxlength="6"></label><button>Verify</button></form>`,
  );
}

function accountPage(name: string, loans: number): Html {
  return layOut(
    "Account",
    html`<h1>Account</h1><p>Name: ${name}</p><p>New loans: ${loans}</p><a href="/loans">Loans</a>
    <form method="post" action="/loans"><button>Borrow</button></form><a href="/sign-out">Sign out</a>`,
  );
}
