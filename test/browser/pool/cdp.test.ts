import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { EGRESS_ARGUMENTS } from "../../../src/browser/egress/confined-context.ts";
import { type BrowserPool, createBrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { PolicyRefusal } from "../../../src/browser/session/browser-session.ts";
import { findFreePort } from "../../../src/lib/free-port.ts";
import { createLogger } from "../../../src/lib/logger.ts";
import { findBrowserPath } from "../../_harness/browser-path.ts";
import { findTraces } from "../../_harness/browser-processes.ts";
import {
  click,
  never,
  observeFresh,
  openSession,
  readText,
  type Site,
  serve,
  silent,
} from "../../_harness/browser-session.ts";

/** A browser that was started outside the pool, and its DevTools URL. */
interface ForeignBrowser extends AsyncDisposable {
  cdpUrl: string;
}

async function startForeign(args: readonly string[]): Promise<ForeignBrowser> {
  const folder = mkdtempSync(join(tmpdir(), "foreign-browser-"));
  const fixed = [
    "--remote-debugging-port=0",
    `--user-data-dir=${folder}`,
    "--no-sandbox",
    "--disable-gpu",
    "--headless",
  ];
  const child = spawn(await findBrowserPath(), [...fixed, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  return {
    cdpUrl: await readAddress(child),
    async [Symbol.asyncDispose]() {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await once(child, "exit");
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function readAddress(child: ChildProcess): Promise<string> {
  let said = "";
  for await (const chunk of child.stderr ?? []) {
    said += chunk;
    const [, port] = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(said) ?? [];
    if (port !== undefined) {
      child.stderr?.resume();
      return `http://127.0.0.1:${port}`;
    }
  }
  throw new Error(`the browser did not start: ${said}`);
}

let site: Site;
let elsewhere: Site;
let foreign: ForeignBrowser;
let pool: BrowserPool;

beforeAll(async () => {
  elsewhere = await serve({});
  site = await serve({
    "/": `<title>Home</title><p></p><script>document.querySelector("p").textContent = document.cookie || "no cookie";
      document.cookie = "seen=yes"</script><button onclick="fetch('/save', { method: 'POST' })">Save</button>`,
    "/away": (_request, response) => response.writeHead(302, { location: elsewhere.url }).end(),
  });
  foreign = await startForeign([...EGRESS_ARGUMENTS, "--disable-shared-workers"]);
  pool = await createBrowserPool({ cdpUrls: [foreign.cdpUrl], warm: 2, logger: silent });
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await foreign[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
});

it("isolates the sessions in a running browser and restricts them to their hosts", async () => {
  await pool.checkReady();
  const first = await openSession(pool, [site]);
  expect(await first.goto(`${site.url}/`, never)).toBe(200);
  expect(await readText(first)).toContain("no cookie");
  await first.goto(`${site.url}/`, never);
  expect(await readText(first)).toContain("seen=yes");
  await expect(first.goto(`${site.url}/away`, never)).rejects.toThrow(PolicyRefusal);
  expect(elsewhere.connections).toBe(0);

  const second = await openSession(pool, [site]);
  await second.goto(`${site.url}/`, never);
  expect(await readText(second)).toContain("no cookie");
  await first[Symbol.asyncDispose]();
  expect((await second.observe(never)).title).toBe("Home");
  await second[Symbol.asyncDispose]();
  expect(findTraces().folders).toEqual([]);

  const targets: { type: string }[] = await (await fetch(`${foreign.cdpUrl}/json/list`)).json();
  expect(targets.filter(({ type }) => type === "page").length).toBeLessThanOrEqual(1);
});

it("sends no writes there either, in read-only sessions and verification contexts", async () => {
  const reading = await openSession(pool, [site], { access: "read_only" });
  await reading.goto(`${site.url}/`, never);
  await click(reading, "Save");
  await expect.poll(() => reading.writes()).toMatchObject([{ status: null, blockedBy: "read_only" }]);

  const writing = await openSession(pool, [site]);
  await writing.goto(`${site.url}/`, never);
  expect(await observeFresh(writing, `${site.url}/`)).toMatchObject({
    status: 200,
    observation: { title: "Home" },
  });
  await click(writing, "Save");
  await expect.poll(() => writing.writes()).toMatchObject([{ url: `${site.url}/save`, status: 200 }]);
  expect(site.writes()).toEqual(["POST /save"]);
});

it("refuses a browser on another machine, because its network access cannot be restricted", async () => {
  for (const cdpUrl of ["http://192.0.2.1:9222", "wss://browsers.example.com/devtools", "ws://[2001:db8::1]:9222"]) {
    await expect(createBrowserPool({ cdpUrls: [cdpUrl], warm: 0, logger: silent })).rejects.toThrow(
      "its network access cannot be restricted",
    );
  }
  await expect(createBrowserPool({ cdpUrls: ["file:///x"], warm: 0, logger: silent })).rejects.toThrow(
    "not an http or ws URL",
  );
});

it("refuses a browser that was started without the required arguments, and names them", async () => {
  await using careless = await startForeign([]);
  await using refused = await createBrowserPool({ cdpUrls: [careless.cdpUrl], warm: 0, logger: silent });
  await expect(refused.checkReady()).rejects.toThrow(
    /could bypass the proxy: --disable-quic .*--disable-shared-workers/,
  );
});

it("spreads runs over several browsers and skips one that is down", async () => {
  const confined = [...EGRESS_ARGUMENTS, "--disable-shared-workers"];
  const down = `http://127.0.0.1:${await findFreePort()}`;
  await using second = await startForeign(confined);
  const cdpUrls = [down, foreign.cdpUrl, second.cdpUrl];
  const log: string[] = [];
  const logger = createLogger("warn", { write: (line) => log.push(line) });
  await using several = await createBrowserPool({ cdpUrls, warm: 0, logger });
  const pagesOf = async ({ cdpUrl }: ForeignBrowser) => {
    const targets: { type: string; url: string }[] = await (await fetch(`${cdpUrl}/json/list`)).json();
    return targets.filter(({ type, url }) => type === "page" && url.startsWith(site.url)).length;
  };
  for (let count = 0; count < 4; count += 1) {
    await (await openSession(several, [site])).goto(`${site.url}/`, never);
  }
  expect([await pagesOf(foreign), await pagesOf(second)]).toEqual([2, 2]);
  expect(log.join("")).toContain("remote browser unavailable");
});

it("gives the reason for each browser when none is available", async () => {
  const ports = [await findFreePort(), await findFreePort()];
  const cdpUrls = ports.map((port) => `http://127.0.0.1:${port}`);
  await using none = await createBrowserPool({ cdpUrls, warm: 0, logger: silent });
  await expect(none.checkReady()).rejects.toThrow(new RegExp(`:${ports[0]}.*:${ports[1]}`, "s"));
});
