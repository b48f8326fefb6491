import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textOf } from "../../../src/browser/observation/observation.ts";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import type { BrowserSession } from "../../../src/browser/session/browser-session.ts";
import type { BrowserState } from "../../../src/browser/state/browser-state.ts";
import { startTestAgent } from "../../_harness/agent.ts";
import { click, never, observeFresh, openSession, type Site, serve } from "../../_harness/browser-session.ts";
import { call, done, play } from "../../_harness/model-script.ts";
import { startModelServer } from "../../_harness/model-server.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";

/** A value that works once and is replaced by the next one. Using one twice ends the sign-in, as a theft would. */
class SingleUse {
  #current: string | null = null;

  issue(): string {
    this.#current = randomUUID();
    return this.#current;
  }

  use(value: string | undefined): string | null {
    if (value === undefined || value !== this.#current) {
      this.#current = null;
      return null;
    }
    return this.issue();
  }
}

const LOGIN = `<title>Login</title><form method="post" action="/login"><input type="password" aria-label="Password"><button>Sign in</button></form>`;

/** Every response to a signed-in request replaces the session cookie. The page asks for news all the time. */
function serveCookies(): Promise<Site> {
  const cookies = new SingleUse();
  const isNext = (request: IncomingMessage, response: ServerResponse) => {
    const next = cookies.use(/session=([\w-]+)/.exec(request.headers.cookie ?? "")?.[1]);
    if (next !== null) response.setHeader("set-cookie", `session=${next}; HttpOnly; Max-Age=9000; Path=/`);
    return next !== null;
  };
  return serve({
    "/": LOGIN,
    "/login": (_request, response) => {
      const cookie = `session=${cookies.issue()}; HttpOnly; Max-Age=9000; Path=/`;
      response.writeHead(303, { "set-cookie": cookie, location: "/account" }).end();
    },
    "/account": (request, response) => {
      const page = `<title>Account</title><p>Signed in as Ada</p><p id="news">0</p><button>Who am I?</button><script>
        let asking = Promise.resolve();
        const ask = () => asking = asking.then(() => fetch("/news")).then(({ ok }) => {
          news.textContent = ok ? Number(news.textContent) + 1 : "signed out";
          return ok;
        });
        setInterval(ask, 50);
        document.querySelector("button").onclick = async (event) => { if (await ask()) event.target.after("Still Ada"); };</script>`;
      response.setHeader("content-type", "text/html").end(isNext(request, response) ? page : LOGIN);
    },
    "/news": (request, response) => response.writeHead(isNext(request, response) ? 200 : 401).end(),
    "/favicon.ico": (_request, response) => response.writeHead(404).end(),
  });
}

/** The page keeps a refresh token, and gets the next one together with an access token each time it is loaded. */
function serveTokens(method: "POST" | "GET"): Promise<Site> {
  const tokens = new SingleUse();
  return serve({
    "/": `<title>Login</title><input type="password" aria-label="Password"><button onclick="fetch('/login').then((r) => r.text()).then((token) => {
      localStorage.auth = JSON.stringify({ refresh: token }); location = '/account'; })">Sign in</button>`,
    "/login": (_request, response) => response.end(tokens.issue()),
    "/auth/refresh": (request, response, seen) => {
      const next =
        request.method === method ? tokens.use(/[\da-f]{8}-[\w-]{27}/.exec(seen.url + seen.body)?.[0]) : null;
      response.writeHead(next === null ? 401 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(next === null ? {} : { refresh: next }));
    },
    "/account": `<title>Account</title><p></p><button>Who am I?</button><script>
      async function renew() {
        const { refresh } = JSON.parse(localStorage.auth ?? "{}");
        const response = await ${
          method === "POST"
            ? `fetch("/auth/refresh", { method: "POST", body: JSON.stringify({ refresh_token: refresh }) })`
            : `fetch("/auth/refresh?token=" + refresh)`
        };
        const auth = await response.json();
        if (auth.refresh) localStorage.auth = JSON.stringify(auth); else delete localStorage.auth;
        return auth.refresh !== undefined;
      }
      const field = '<input type="password" aria-label="Password">';
      renew().then((ok) => { document.querySelector("p").outerHTML = ok ? "<p>Signed in as Ada</p>" : field; });
      document.querySelector("button").onclick = async (event) => { if (await renew()) event.target.after("Still Ada"); };</script>`,
  });
}

const SITES: Record<string, () => Promise<Site>> = {
  "a session cookie": serveCookies,
  "a refresh token that is posted": () => serveTokens("POST"),
  "a refresh token in a URL": () => serveTokens("GET"),
};

let pool: BrowserPool;
beforeAll(async () => {
  pool = await openSharedPool();
});
afterAll(() => pool[Symbol.asyncDispose]());

const textIn = async (session: BrowserSession) => textOf((await session.observe(never)).root);

async function signIn(site: Site): Promise<BrowserState> {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await click(session, "Sign in");
  await expect.poll(() => textIn(session)).toContain("Signed in as Ada");
  return await endSession(session);
}

async function endSession(session: BrowserSession): Promise<BrowserState> {
  const state = await session.captureState();
  await session[Symbol.asyncDispose]();
  return state;
}

describe.each(Object.keys(SITES))("with %s that works once", (kind) => {
  it("the run, its verification and the next run stay signed in", async () => {
    await using site = (await SITES[kind]?.()) as Site;
    let state = await signIn(site);
    for (const _run of [1, 2]) {
      const session = await openSession(pool, [site], { state });
      await session.goto(`${site.url}/account`, never);
      expect(await textIn(session)).toContain("Signed in as Ada");
      for (const _page of [1, 2, 3]) {
        const { observation } = await observeFresh(session, `${site.url}/account`);
        expect(textOf(observation.root)).toContain("Signed in as Ada");
      }
      const pages = [1, 2, 3, 4].map((number) => ({ url: `${site.url}/account?page=${number}` }));
      for (const read of await session.observeForVerification(pages, never)) {
        expect("observation" in read && textOf(read.observation.root)).toContain("Signed in as Ada");
      }
      for (const read of await session.observeForVerification(pages.slice(0, 2), never, "before the run")) {
        expect("observation" in read && textOf(read.observation.root)).toContain("Signed in as Ada");
      }
      expect(await textIn(session)).not.toContain("signed out");
      await click(session, "Who am I?");
      await expect.poll(() => textIn(session)).toContain("Still Ada");
      state = await endSession(session);
    }
  });
});

/** The sign-in is bound to the first tab that used it, by a name that no other browser gets. */
const BOUND = `<title>Account</title><main></main><script>
  const field = '<label>Password <input type="password"></label><button>Sign in</button>';
  addEventListener("load", () => { document.querySelector("main").innerHTML = window.name === "bound" ? "<h1>Account</h1><p>Balance: 40 euros</p>" : field; });
</script>`;

it("a verification context that is signed out contradicts nothing", async () => {
  await using site = await serve({
    "/": `<a href="/account" onclick="window.name = 'bound'">Account</a>`,
    "/account": BOUND,
  });
  await using server = await startModelServer();
  await using agent = await startTestAgent();
  const planner = await play(
    server,
    (turn) => turn.click('link "Account"'),
    () => done("The balance is 40 euros.", { facts: [{ about: "balance", value: "40", quote: "Balance: 40 euros" }] }),
    () => call("give_up", { kind: "goal_unreachable", reason: "No." }),
  );
  const { verdict } = await agent.run({ prompt: "What is my balance?", startUrl: `${site.url}/`, planner });
  const about = verdict?.checks.filter(({ evidence }) => evidence.includes("signed out")) ?? [];
  expect(about.length).toBeGreaterThan(0);
  expect(verdict?.checks.filter((check) => check.verdict === "contradicted")).toEqual([]);
});
