import { afterAll, beforeAll, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import type { BrowserState } from "../../../src/browser/state/browser-state.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { never, readText, until } from "../../_harness/browser-session.ts";
import { arrive, openLive, strike, untilText, type WatchedBrowser } from "../../_harness/live-browser.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";
import { MEMBER } from "../../sites/login.ts";
import { MEMBER_NAME } from "../../sites/sign-in/member-sessions.ts";
import { type Sites, startSites } from "../../sites/start-sites.ts";

let pool: BrowserPool;
let sites: Sites;

beforeAll(async () => {
  sites = await startSites();
  pool = await openSharedPool();
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await sites[Symbol.asyncDispose]();
});

const hostsOf = (...urls: string[]) => urls.map((url) => ({ host: new URL(url).host }));

async function enterCredentials(live: WatchedBrowser): Promise<void> {
  await until(() => live.field()?.kind === "email");
  live.input({ type: "paste", text: MEMBER.email });
  strike(live, "Tab");
  await until(() => live.field()?.kind === "password");
  for (const text of MEMBER.password) live.input({ type: "text", text });
  strike(live, "Enter");
}

async function readAccount(url: string, state: BrowserState): Promise<string> {
  const hosts = hostsOf(url).map(({ host }) => host);
  await using session = await pool.openSession(
    {
      allowedHosts: hosts,
      privateHosts: hosts,
      access: "all",
      downloads: { maxFiles: 0, maxBytes: 0 },
      clock: systemClock,
      state,
    },
    never,
  );
  await session.goto(`${url}/account`, never);
  await until(async () => !(await readText(session)).includes("Loading"));
  return await readText(session);
}

it("detects that a site has signed the user out", async () => {
  const { url, state } = sites.tabSession;
  const live = await openLive(pool, hostsOf(url), `${url}/sign-in`);
  await enterCredentials(live);
  await untilText(live, MEMBER_NAME);
  expect((await live.visit(`${url}/account`, never)).text).toContain(MEMBER_NAME);
  expect(await live.visitSignedOut(`${url}/account`, never)).toMatchObject({ hasPasswordField: true });
  state.sessions.drop();
  expect(await live.visit(`${url}/account`, never)).toMatchObject({ url: `${url}/sign-in`, hasPasswordField: true });
});

it("follows a sign-in through another origin in a popup", async () => {
  const { federated, identity } = sites;
  const live = await openLive(pool, hostsOf(federated.url, identity.url), `${federated.url}/sign-in`);
  await arrive(live, "Federated Club: sign in");
  strike(live, "Tab");
  strike(live, "Tab");
  strike(live, "Enter");
  await arrive(live, "Example ID");
  expect(live.page()?.url).toContain(identity.url);
  await enterCredentials(live);
  await untilText(live, MEMBER_NAME);
  await until(() => live.page()?.tabs.length === 1);
  expect(await readAccount(federated.url, await live.capture())).toContain(MEMBER_NAME);
});
