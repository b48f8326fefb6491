import { afterAll, beforeAll, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { SessionLost } from "../../../src/browser/session/browser-session.ts";
import { click, never, openSession, readText, type Site, serve, until } from "../../_harness/browser-session.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";

const KEEP = `<title></title><button onclick="
  document.cookie = 'cookie=a; max-age=1000'; localStorage.local = 'b'; sessionStorage.session = 'c';
  const opening = indexedDB.open('base', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('store');
  opening.onsuccess = () => {
    const transaction = opening.result.transaction('store', 'readwrite');
    transaction.objectStore('store').put(new Date(0), 'key');
    transaction.oncomplete = () => { document.title = 'kept'; };
  };">Keep</button>`;

const TELL = `<p></p><script>
  const opening = indexedDB.open("base", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("store");
  opening.onsuccess = () => {
    const asking = opening.result.transaction("store").objectStore("store").get("key");
    asking.onsuccess = () => {
      const known = [document.cookie, localStorage.local, sessionStorage.session, asking.result?.getTime()];
      document.querySelector("p").textContent = known.join(" ");
    };
  };
</script>`;

const PAGES = {
  "/": KEEP,
  "/tell": TELL,
  "/session": `<p></p><script>document.querySelector("p").textContent = sessionStorage.session ?? "nothing"</script>`,
  "/rename": `<script>sessionStorage.session = location.search.slice(1)</script>`,
  "/sign-out": `<script>sessionStorage.clear(); location.replace("/session")</script>`,
  "/large": `<script>
    const opening = indexedDB.open("large", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("store");
    opening.onsuccess = () => {
      const transaction = opening.result.transaction("store", "readwrite");
      transaction.objectStore("store").put("x".repeat(7_000_000), "key");
      transaction.oncomplete = () => { document.title = "kept"; };
    };
  </script>`,
  "/loop": "<script>setTimeout(() => { for (;;); })</script>",
};

let pool: BrowserPool;
let site: Site;
let other: Site;

beforeAll(async () => {
  site = await serve(PAGES);
  other = await serve({ ...PAGES, "/framing": `<iframe src="${site.url}/rename?framed"></iframe>` });
  pool = await openSharedPool();
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await Promise.all([site[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
});

async function keepOn(...sites: Site[]) {
  const session = await openSession(pool, [site, other]);
  for (const each of sites) {
    await session.goto(`${each.url}/`, never);
    await click(session, "Keep");
    await until(async () => (await session.observe(never)).title === "kept");
  }
  return session;
}

it("restores everything that a site stored, in another browser", async () => {
  await using first = await keepOn(site);
  const state = await first.captureState();
  const second = await openSession(pool, [site], { state: JSON.parse(JSON.stringify(state)) });
  await second.goto(`${site.url}/tell`, never);
  expect(await readText(second)).toBe("cookie=a b c 0");
});

it("keeps the storage of two origins apart, including one that is not opened in between", async () => {
  await using first = await keepOn(other);
  await first.goto(`${site.url}/rename?first`, never);
  const opened = await first.captureState();
  await using second = await openSession(pool, [site, other], {
    state: {
      ...opened,
      sessionStorage: [...opened.sessionStorage, { origin: other.url, entries: [["session", "old"]] }],
    },
  });
  await second.goto(`${site.url}/rename?second`, never);
  const third = await openSession(pool, [site, other], { state: await second.captureState() });
  await third.goto(`${site.url}/session`, never);
  expect(await readText(third)).toBe("second");
  await third.goto(`${other.url}/tell`, never);
  expect(await readText(third)).toBe("cookie=a b old 0");
});

it("includes the storage of cross-origin frames", async () => {
  await using session = await openSession(pool, [site, other]);
  await session.goto(`${other.url}/framing`, never);
  const { sessionStorage } = await session.captureState();
  expect(sessionStorage).toEqual([{ origin: site.url, entries: [["session", "framed"]] }]);
});

it("leaves session storage empty when a site has cleared it", async () => {
  await using first = await keepOn(site);
  const state = await first.captureState();
  const second = await openSession(pool, [site], { state });
  await second.goto(`${site.url}/session`, never);
  expect(await readText(second)).toBe("c");
  await second.goto(`${site.url}/sign-out`, never);
  expect(await readText(second)).toBe("nothing");
  expect((await second.captureState()).sessionStorage).toEqual([]);
});

it("skips databases that are too large and keeps the rest", async () => {
  await using session = await keepOn(site);
  await session.goto(`${site.url}/large`, never);
  await until(async () => (await session.observe(never)).title === "kept");
  const { storage } = await session.captureState();
  expect(storage.cookies).toMatchObject([{ name: "cookie", value: "a" }]);
  expect(storage.origins).toEqual([{ origin: site.url, localStorage: [{ name: "local", value: "b" }] }]);
});

it("captures cookies when a page hangs, and reports a lost browser", async () => {
  const session = await keepOn(site);
  await session.goto(`${site.url}/loop`, never).catch(() => {});
  expect((await session.captureState()).storage.cookies).toHaveLength(1);
  await session[Symbol.asyncDispose]();
  await expect(session.captureState()).rejects.toThrow(SessionLost);
});
