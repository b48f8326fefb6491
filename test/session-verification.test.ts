import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { textOf } from "../src/browser/observation/observation.ts";
import type { BrowserPool } from "../src/browser/pool/browser-pool.ts";
import { NavigationFailed, PolicyRefusal } from "../src/browser/session/browser-session.ts";
import { click, fill, findNode, never, openSession, type Site, serve } from "./_harness/browser-session.ts";
import { openSharedPool } from "./_harness/shared-browsers.ts";

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
  alert("Nobody answers this.");
</script>`;

let pool: BrowserPool;
let site: Site;

beforeAll(async () => {
  site = await serve({
    "/": SIGN_IN,
    "/account": ACCOUNT,
    "/writes": WRITES,
    "/popup": "<script>fetch('/from-the-popup', { method: 'POST' })</script>",
    "/renew": (_request, response) => response.writeHead(200, { "set-cookie": "cookie=renewed" }).end("renewed"),
    "/missing": (_request, response) => response.writeHead(404).end("gone"),
    "/loop": "<script>setTimeout(() => { for (;;); })</script>",
  });
  pool = await openSharedPool({ hangMs: 6_000 });
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
  const { status, observation } = await session.observeForVerification(`${site.url}/account`, never);
  expect(status).toBe(200);
  expect(textOf(observation.root)).toBe("cookie=a b c d");
  expect(await session.observeForVerification(`${site.url}/missing`, never)).toMatchObject({ status: 404 });
});

it("leaves the run's tab, refs and records unchanged", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await fill(session, "Draft", "unsaved");
  const before = await session.observe(never);
  const mark = session.mark();
  const { observation } = await session.observeForVerification(`${site.url}/account`, never);
  expect(observation.number).toBeGreaterThan(before.number);
  const nothing = { requests: [], downloads: [], dialogs: [], openedTabs: [], refusedHosts: [] };
  expect(session.since(mark)).toEqual(nothing);
  expect(session.visited()).toEqual([`${site.url}/`]);
  const pinned = await session.pin(findNode(before, "Draft").ref ?? "");
  expect(await pinned.handle.inputValue()).toBe("unsaved");
});

it("blocks every write, including from popups and after it has closed", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  const { observation } = await session.observeForVerification(`${site.url}/writes`, never);
  expect(observation).toMatchObject({ title: "Writes", dialog: null });
  expect(session.writes()).toEqual([]);
  // Anything that a closed page still had in flight would arrive now.
  await session.goto(`${site.url}/`, never);
  await delay(200);
  expect(site.writes()).toEqual([]);
});

it("is limited to the allowed hosts, and passes a renewed sign-in to the run", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await click(session, "Sign in");
  await expect(session.observeForVerification("https://example.com/", never)).rejects.toThrow(PolicyRefusal);
  await session.observeForVerification(`${site.url}/renew`, never);
  await session.goto(`${site.url}/account`, never);
  expect(textOf((await session.observe(never)).root)).toContain("cookie=renewed");
});

it("does not end the run when the page hangs", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await expect(session.observeForVerification(`${site.url}/loop`, never)).rejects.toThrow(NavigationFailed);
  expect((await session.observe(never)).url).toBe(`${site.url}/`);
});
