import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { textOf } from "../../../src/browser/observation/observation.ts";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { NavigationFailed, PolicyRefusal } from "../../../src/browser/session/browser-session.ts";
import {
  click,
  fill,
  findNode,
  never,
  observeFresh,
  openSession,
  type Site,
  serve,
} from "../../_harness/browser-session.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";

const SIGN_IN = `<input aria-label="Draft"><button onclick="
  document.cookie = 'cookie=a'; localStorage.local = 'b'; sessionStorage.session = 'c';
  const opening = indexedDB.open('base', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('store');
  opening.onsuccess = () => {
    const transaction = opening.result.transaction('store', 'readwrite');
    transaction.objectStore('store').put('d', 'key');
    transaction.oncomplete = () => { document.title = 'signed in'; };
  };">Sign in</button>`;

const ACCOUNT = `<p></p><script>
  const opening = indexedDB.open("base", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("store");
  opening.onsuccess = () => {
    const asking = opening.result.transaction("store").objectStore("store").get("key");
    asking.onsuccess = () => {
      const known = [document.cookie, localStorage.local, sessionStorage.session, asking.result];
      document.querySelector("p").textContent = known.join(" ");
    };
  };
</script>`;

const WRITES = `<title>Writes</title><script>
  fetch("/at-once", { method: "POST" });
  onpagehide = () => navigator.sendBeacon("/leaving", "x");
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: "/in-a-tab", target: "_blank", rel: "noopener" });
  document.documentElement.append(form);
  form.submit();
  window.open("/popup", "_blank", "noopener");
  new Worker(URL.createObjectURL(new Blob(["fetch('" + location.origin + "/from-a-worker', { method: 'POST' })"])));
  const frame = document.documentElement.appendChild(document.createElement("iframe"));
  frame.contentWindow.fetch("/from-an-empty-frame", { method: "POST", keepalive: true });
  frame.contentWindow.onpagehide = () => frame.contentWindow.navigator.sendBeacon("/leaving-the-frame", "x");
  alert("Nobody answers this.");
</script><iframe src="/popup"></iframe>`;

const POSTS = "<script>fetch('/from-the-popup', { method: 'POST' })</script>";

/** Begins to send when the run has read it. */
const BEATS = `<script>
  let beating;
  setTimeout(() => { beating = setInterval(() => fetch("/beat", { method: "POST" }), 50); }, 1_500);
</script><iframe src="/beats"></iframe>
<button onclick="clearInterval(beating); document.querySelector('iframe').remove()">Stop</button>
<button onclick="document.body.appendChild(document.createElement('iframe')).src = '/popup'">Open</button>`;

const FRAME = `<script>
  setTimeout(() => setInterval(() => fetch("/beat-of-a-frame", { method: "POST" }), 50), 1_500);
</script>`;

let pool: BrowserPool;
let site: Site;
let visits = 0;

beforeAll(async () => {
  site = await serve({
    "/": SIGN_IN,
    "/account": ACCOUNT,
    "/writes": WRITES,
    "/popup": POSTS,
    "/renew": (_request, response) => response.writeHead(200, { "set-cookie": "cookie=renewed" }).end("renewed"),
    "/missing": (_request, response) => response.writeHead(404).end("gone"),
    "/visits": (_request, response) => {
      visits += 1;
      response.setHeader("content-type", "text/html").end(`<p>Visit ${visits}</p><script>
        document.querySelector("p").append(" at " + location.hash + " " + (localStorage.local ?? "nobody"));</script>`);
    },
    "/loop": "<script>setTimeout(() => { for (;;); })</script>",
  });
  pool = await openSharedPool({ hangMs: 3_000 });
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

it("sees what the run would see, however a site stores its sign-in", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await click(session, "Sign in");
  await expect.poll(async () => (await session.observe(never)).title).toBe("signed in");
  const { status, observation } = await observeFresh(session, `${site.url}/account`);
  expect(status).toBe(200);
  expect(textOf(observation.root)).toBe("cookie=a b c d");
  expect(await observeFresh(session, `${site.url}/missing`)).toMatchObject({ status: 404 });
});

it("leaves the run's tab, refs and records unchanged", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await fill(session, "Draft", "unsaved");
  const before = await session.observe(never);
  const mark = session.mark();
  const { observation } = await observeFresh(session, `${site.url}/account`);
  expect(observation.number).toBeGreaterThan(before.number);
  const nothing = { requests: [], downloads: [], dialogs: [], openedTabs: [], refusedHosts: [] };
  expect(session.since(mark)).toEqual(nothing);
  expect(session.visited()).toEqual([`${site.url}/`]);
  const pinned = await session.pin(findNode(before, "Draft").ref ?? "");
  expect(await pinned.handle.evaluate((field) => (field as HTMLInputElement).value)).toBe("unsaved");
});

it("blocks every write, including from popups and after it has closed", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  const { observation } = await observeFresh(session, `${site.url}/writes`);
  expect(observation).toMatchObject({ title: "Writes", dialog: null });
  expect(session.writes()).toEqual([]);
  // Anything that a closed page still had in flight would arrive now.
  await session.goto(`${site.url}/`, never);
  await delay(200);
  expect(site.writes()).toEqual([]);
});

it("lets the run's own page go on sending meanwhile, and records only that", async () => {
  await using own = await serve({ "/": BEATS, "/beats": FRAME, "/writes": WRITES, "/popup": POSTS });
  const session = await openSession(pool, [own]);
  await session.goto(`${own.url}/`, never);
  const mark = session.mark();
  await observeFresh(session, `${own.url}/writes`);
  const sent = session.since(mark).requests.filter(({ status }) => status === 200);
  expect(new Set(sent.map(({ url }) => url))).toEqual(new Set([`${own.url}/beat`, `${own.url}/beat-of-a-frame`]));
  expect(new Set(own.writes())).toEqual(new Set(["POST /beat", "POST /beat-of-a-frame"]));
  // A frame that the run opens afterwards is its own.
  await click(session, "Stop");
  await click(session, "Open");
  await expect.poll(() => own.writes()).toContain("POST /from-the-popup");
  expect(session.writes().map(({ url }) => url)).toContain(`${own.url}/from-the-popup`);
});

it("is limited to the allowed hosts, and passes a renewed sign-in to the run", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await click(session, "Sign in");
  await expect(observeFresh(session, "https://example.com/")).rejects.toThrow(PolicyRefusal);
  await observeFresh(session, `${site.url}/renew`);
  await session.goto(`${site.url}/account`, never);
  expect(textOf((await session.observe(never)).root)).toContain("cookie=renewed");
});

it("reads several pages in order, each loaded anew, whatever the one before has opened", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  visits = 0;
  const urls = ["/writes", "/visits#/a", "/visits#/b", "/missing"].map((path) => site.url + path);
  const [writes, one, two, missing] = await session.observeForVerification(
    urls.map((url) => ({ url })),
    never,
  );
  expect(writes).toMatchObject({ status: 200, observation: { title: "Writes" } });
  expect([one, two].map((read) => read && "observation" in read && textOf(read.observation.root))).toEqual([
    "Visit 1 at #/a nobody",
    "Visit 2 at #/b nobody",
  ]);
  expect(missing).toMatchObject({ status: 404 });
  expect(site.writes()).toEqual([]);
});

it("reads many pages, and each one that cannot be read says why", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  const urls = Array.from({ length: 8 }, (_, index) =>
    index === 5 ? "https://example.com/" : `${site.url}/visits?number=${index}`,
  );
  const read = await session.observeForVerification(
    urls.map((url) => ({ url })),
    never,
  );
  expect(read.map((page) => ("failure" in page ? page.failure : page.observation.url))).toEqual(
    urls.map((url) => (url.startsWith(site.url) ? url : expect.any(PolicyRefusal))),
  );
});

it("uses the sign-in that the run has when a page is read, also in a context that was opened before", async () => {
  const session = await openSession(pool, [site]);
  session.prepareVerification();
  await session.goto(`${site.url}/`, never);
  const set = await session.observe(never);
  const pinned = await session.pin(findNode(set, "Draft").ref ?? "");
  await pinned.handle.evaluate(() => localStorage.setItem("local", "Ada"));
  const { observation } = await observeFresh(session, `${site.url}/visits`);
  expect(textOf(observation.root)).toMatch(/^Visit \d+ at +Ada$/);
});

it("does not end the run when the page hangs", async () => {
  await using impatient = await openSharedPool({
    hangMs: 2_000,
    settleMs: 500,
    busySettleMs: 1_000,
    navigationMs: 5_000,
  });
  const session = await openSession(impatient, [site]);
  await session.goto(`${site.url}/`, never);
  await expect(observeFresh(session, `${site.url}/loop`)).rejects.toThrow(NavigationFailed);
  expect((await session.observe(never)).url).toBe(`${site.url}/`);
});
