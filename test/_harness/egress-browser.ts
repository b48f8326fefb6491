import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { NO_EGRESS_ARGUMENTS, openConfinedContext } from "../../src/browser/egress/confined-context.ts";
import type { EgressProxy } from "../../src/browser/egress/egress-proxy.ts";
import { listSwitches } from "../../src/browser/pool/launch-switches.ts";
import { findBrowserPath } from "./browser-path.ts";

/** The browser's network activity, from its own log. */
export interface NetworkAccount {
  /** `address:port` of every connection it tried. */
  connections: string[];
  /** Destinations of its datagrams. */
  datagrams: string[];
  /** Every name that it looked up. */
  lookups: string[];
}

export interface ConfinedBrowser extends AsyncDisposable {
  openContext(proxy: EgressProxy): Promise<BrowserContext>;
  /** Closes the browser, which then finishes writing its log. */
  closeAndAccount(): Promise<NetworkAccount>;
}

/** Starts a browser like the service does, except for what a test overrides. */
export async function startConfinedBrowser({ without = "nothing" } = {}): Promise<ConfinedBrowser> {
  const folder = await mkdtemp(join(tmpdir(), "errand-egress-"));
  const profile = join(folder, "profile");
  const account = join(folder, "net-log.json");
  const confined = NO_EGRESS_ARGUMENTS.filter((argument) => !argument.includes(without));
  const unused = await chromium.launchPersistentContext(profile, {
    executablePath: await findBrowserPath(),
    ignoreDefaultArgs: true,
    args: [...listSwitches(profile, { hasSandbox: false, hasGpu: false }), ...confined, `--log-net-log=${account}`],
  });
  const browser = unused.browser();
  if (browser === null) throw new Error("the browser has no connection of its own");
  return {
    openContext: (proxy) => openContext(browser, proxy),
    async closeAndAccount() {
      await browser.close();
      return readAccount(await readFile(account, "utf8"));
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openContext(browser: Browser, proxy: EgressProxy): Promise<BrowserContext> {
  const { context, page } = await openConfinedContext(browser, proxy, { ignoreHTTPSErrors: true });
  await page.close();
  context.setDefaultTimeout(60_000);
  return context;
}

interface NetLog {
  constants: { logEventTypes: Record<string, number> };
  events: { type: number; params?: { address?: string; host?: string } }[];
}

function readAccount(text: string): NetworkAccount {
  const { constants, events }: NetLog = JSON.parse(text);
  const all = (name: string) => {
    const wanted = constants.logEventTypes[name];
    if (wanted === undefined) throw new Error(`this browser has no event called ${name}`);
    return events.filter(({ type }) => type === wanted);
  };
  const addresses = (name: string) => all(name).flatMap(({ params }) => params?.address ?? []);
  return {
    connections: addresses("TCP_CONNECT_ATTEMPT"),
    datagrams: addresses("UDP_BYTES_SENT"),
    lookups: ["HOST_RESOLVER_SYSTEM_TASK", "HOST_RESOLVER_DNS_TASK", "DNS_TRANSACTION"].flatMap((name) =>
      all(name).map(({ params }) => `${name} ${params?.host ?? ""}`),
    ),
  };
}
