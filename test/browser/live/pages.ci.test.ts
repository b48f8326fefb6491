import { afterAll, beforeAll, expect, it } from "vitest";
import type { LiveListener } from "../../../src/browser/live/live-browser.ts";
import { openLive as openLiveSession } from "../../../src/browser/live/live-session.ts";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { NavigationFailed, SessionLost } from "../../../src/browser/session/browser-session.ts";
import type { RunningBrowser } from "../../../src/browser/session/session-options.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { findTraces } from "../../_harness/browser-processes.ts";
import {
  never,
  openSession,
  readText,
  type Site,
  serve,
  startProcessPool,
  until,
} from "../../_harness/browser-session.ts";
import { arrive, openLive, press, untilText } from "../../_harness/live-browser.ts";

let pool: BrowserPool;
let site: Site;

beforeAll(async () => {
  site = await serve({
    "/": `<title>Door</title><form method="post" action="/enter" style="margin: 0">
      <button style="position: fixed; left: 0; top: 0; width: 200px; height: 100px">Enter</button></form>`,
    "/enter": `<title>Inside</title><p>Answer</p><a href="/" style="position: fixed; left: 0; top: 0">Door</a>`,
    "/account": (request, response) => {
      const isKnown = request.headers.cookie?.includes("who=ada") === true;
      response.writeHead(isKnown ? 200 : 401, { "content-type": "text/html" });
      response.end(
        isKnown
          ? "<title>Account</title><h1>Hello, Ada</h1><a href='/out'>Sign out</a>"
          : "<title>Sign in</title><input type='password' aria-label='Password'><button>Sign in</button>",
      );
    },
    "/known": `<title>Known</title><script>
      document.cookie = "who=ada; max-age=1000"; sessionStorage.tab = "kept"; localStorage.all = "too";
    </script>`,
    "/kept": `<p></p><script>document.querySelector("p").textContent = [sessionStorage.tab, localStorage.all].join(" ")</script>`,
    "/staying": `<title>Staying</title><a href="/file" style="position: fixed; left: 0; top: 0; width: 200px; height: 100px">File</a>
      <p></p><script>onbeforeunload = (event) => event.preventDefault();
      onclick = () => { onbeforeunload = null; setTimeout(() => {
        onbeforeunload = (event) => event.preventDefault(); document.querySelector("p").textContent = "clicked";
      }, 300); };</script>`,
    "/file": (_request, response) => {
      response.writeHead(200, { "content-disposition": "attachment; filename=a.txt" }).end("file");
    },
    "/window": (_request, response) => {
      response.writeHead(401, { "www-authenticate": 'Basic realm="Staff"' }).end();
    },
    "/window-with-page": (_request, response) => {
      response.writeHead(401, { "www-authenticate": "Negotiate, Basic", "content-type": "text/html" }).end("No.");
    },
    "/slow": (_request, response) => {
      setTimeout(() => response.writeHead(200, { "content-type": "text/html" }).end("<title>Slow</title>"), 1_000);
    },
    "/change": `<title>Before</title><script>setTimeout(() => {
      document.body.innerHTML = "<main><h1>New</h1><p>Another page, in place.</p></main>"; document.title = "After";
    }, 1500)</script>`,
  });
  pool = await startProcessPool();
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

it("reports its URL, goes back, and reloads without resubmitting a form", async () => {
  const live = await openLive(pool, [site], `${site.url}/`);
  await arrive(live, "Door");
  expect(live.page()).toMatchObject({ url: `${site.url}/`, isSecure: false, canGoBack: false, failure: null });
  press(live, 100, 50);
  await arrive(live, "Inside");
  await until(() => live.page()?.canGoBack === true);
  const asked = site.requests.length;
  live.input({ type: "reload" });
  await until(() => site.requests.length > asked);
  expect(site.writes()).toEqual(["POST /enter"]);
  expect(site.requests.at(-1)).toMatchObject({ method: "GET", url: "/enter" });
  await arrive(live, "Inside");
  live.input({ type: "back" });
  await until(() => live.page()?.url === `${site.url}/`);
});

it("settles after a navigation and after an in-place change", async () => {
  const live = await openLive(pool, [site], `${site.url}/change`);
  await arrive(live, "Before");
  await until(() => live.rests() > 0);
  const rests = live.rests();
  await arrive(live, "After");
  await until(() => live.rests() > rests);
  expect(await live.view(never)).toMatchObject({ status: 200, text: "New Another page, in place." });
});

it("visits a URL signed in and signed out", async () => {
  const live = await openLive(pool, [site], `${site.url}/known`);
  await arrive(live, "Known");
  expect(await live.visit(`${site.url}/account`, never)).toMatchObject({
    url: `${site.url}/account`,
    title: "Account",
    status: 200,
    hasPasswordField: false,
    controls: ["Sign out"],
    text: "Hello, Ada Sign out",
  });
  expect(await live.visitSignedOut(`${site.url}/account`, never)).toMatchObject({
    title: "Sign in",
    status: 401,
    hasPasswordField: true,
    controls: ["Sign in"],
  });
  expect(live.page()?.url).toBe(`${site.url}/account`);
  await expect(live.visit("file:///etc/hostname", never)).rejects.toThrow(NavigationFailed);
});

it("refuses downloads, and leaves a page despite its beforeunload dialog", async () => {
  const live = await openLive(pool, [site], `${site.url}/staying`);
  await arrive(live, "Staying");
  press(live, 100, 50);
  await untilText(live, "clicked");
  expect(await live.visit(`${site.url}/`, never)).toMatchObject({ title: "Door" });
  expect(live.dialog()).toBeNull();
  expect(live.page()).toMatchObject({ failure: null });
  const state = await live.capture();
  expect(state.sessionStorage).toEqual([]);
});

it("captures cookies and storage that a session can continue with", async () => {
  const live = await openLive(pool, [site], `${site.url}/known`, { isTouch: true });
  await arrive(live, "Known");
  const state = await live.capture();
  const session = await openSession(pool, [site], { state });
  await session.goto(`${site.url}/kept`, never);
  expect(await readText(session)).toBe("kept too");
  await session.goto(`${site.url}/account`, never);
  expect(await readText(session)).toContain("Hello, Ada");
});

it("explains why a URL cannot be opened", async () => {
  await using gone = await serve({});
  const live = await openLive(pool, [site, gone], "http://10.1.2.3/?secret=1");
  await until(() => live.page()?.failure !== null && live.page() !== null);
  expect(live.page()).toMatchObject({ failure: expect.stringMatching(/private network/), isSecure: false });
  await expect(live.visit("http://10.1.2.3/", never)).rejects.toThrow("private network");
  await expect(live.visit("https://10.1.2.3/", never)).rejects.toThrow("private network");
  await expect(live.visit("https://nowhere.invalid/", never)).rejects.toThrow("no site with this name");
  await using untrusted = await serve({}, { secure: true });
  const careful = await openLive(pool, [untrusted], `https://${untrusted.host}/`);
  await until(() => careful.page()?.failure !== null && careful.page() !== null);
  expect(careful.page()).toMatchObject({ failure: expect.stringMatching(/certificate/), isSecure: false });
  await gone[Symbol.asyncDispose]();
  await expect(live.visit(gone.url, never)).rejects.toThrow("refused the connection");
  await until(() => live.page()?.url === `${gone.url}/`);
  await expect(live.view(never)).rejects.toThrow(NavigationFailed);
  expect(await live.visit(`${site.url}/`, never)).toMatchObject({ title: "Door" });
  await until(() => live.page()?.failure === null);
});

it.each([
  ["/file", "The site sent a file instead of a page."],
  ["/window", "The site asks for a user name and password in a browser dialog, which cannot be shown here."],
  ["/window-with-page", "The site asks for a user name and password in a browser dialog, which cannot be shown here."],
])("explains what %s returns when it is not a page", async (path, words) => {
  const live = await openLive(pool, [site], `${site.url}${path}`);
  await until(() => (live.page()?.failure ?? null) !== null);
  await expect(live.visit(`${site.url}${path}`, never)).rejects.toThrow(words);
  // Quick changes are reported together, a moment later.
  await until(() => live.page()?.isLoading === false);
  expect(live.page()).toMatchObject({ url: `${site.url}${path}`, failure: words });
  expect(live.pages.map(({ failure }) => failure).filter((failure) => failure !== null && failure !== words)).toEqual(
    [],
  );
});

it("reports the URL that is being opened from the start", async () => {
  const live = await openLive(pool, [site], `${site.url}/slow`);
  await arrive(live, "Slow");
  expect(live.pages[0]).toMatchObject({ url: `${site.url}/slow`, isLoading: true });
  expect(new Set(live.pages.map(({ url }) => url))).toEqual(new Set([`${site.url}/slow`]));
});

it("recovers from a page crash, and reports a lost browser once", async () => {
  const live = await openLive(pool, [site], `${site.url}/`);
  await arrive(live, "Door");
  for (const pid of findTraces().renderers) process.kill(pid, "SIGKILL");
  await until(() => live.page()?.failure !== null);
  expect(live.page()).toMatchObject({ url: `${site.url}/`, failure: expect.stringMatching(/crashed/) });
  expect(live.losses).toEqual([]);
  live.input({ type: "reload" });
  await until(() => live.page()?.failure === null && live.page()?.tabs.length === 1);
  await arrive(live, "Door");
  await untilText(live, "Enter");

  for (const pid of findTraces().browsers) process.kill(pid, "SIGKILL");
  await until(() => live.losses.length > 0);
  live.input({ type: "reload" });
  await expect(live.view(never)).rejects.toThrow(SessionLost);
  await expect(live.capture()).rejects.toThrow(SessionLost);
  await live[Symbol.asyncDispose]();
  expect(live.losses).toHaveLength(1);
});

it("leaves nothing behind when its pool closes", async () => {
  const own = await startProcessPool();
  const live = await openLive(own, [site], `${site.url}/`);
  await arrive(live, "Door");
  await own[Symbol.asyncDispose]();
  expect(findTraces()).toMatchObject({ folders: [], all: [] });
  expect(live.losses.length).toBeLessThanOrEqual(1);
});

it("closes its proxy even if its browser cannot be closed", async () => {
  let proxyUrl = "";
  const browser = {
    once: () => {},
    newBrowserCDPSession: async () => ({ send: async () => ({ userAgent: "Chrome" }), detach: async () => {} }),
    newContext: async ({ proxy }: { proxy: { server: string } }) => {
      proxyUrl = proxy.server;
      throw new Error("no context");
    },
  };
  const stuck = {
    browser,
    [Symbol.asyncDispose]: async () => {
      throw new Error("still there");
    },
  } as unknown as RunningBrowser;
  const options = { url: `${site.url}/`, viewport: { width: 800, height: 600 }, isTouch: false, privateHosts: [] };
  const opening = openLiveSession(
    { running: stuck, options: { ...options, clock: systemClock, listener: {} as LiveListener } },
    never,
  );
  await expect(opening).rejects.toThrow("still there");
  await expect(fetch(proxyUrl)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
});
