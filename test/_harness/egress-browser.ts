import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type LaunchOptions } from "playwright-core";
import { openConfinedContext } from "../../src/browser/egress/confined-context.ts";
import type { EgressProxy } from "../../src/browser/egress/egress-proxy.ts";
import { confinedLaunch } from "../../src/browser/egress/launch-arguments.ts";
import { locateBrowser } from "../../src/browser/locate-browser.ts";
import { readEnvironment } from "../../src/config/env.ts";

const AS_ROOT = ["--no-sandbox", "--disable-gpu"];

/** What a browser did on the network, by its own account. */
export interface NetworkAccount {
  /** `address:port` of every connection it tried. */
  connections: string[];
  /** Where it sent datagrams. */
  datagrams: string[];
  /** Every name it asked a resolver for. */
  lookups: string[];
}

export interface ConfinedBrowser extends AsyncDisposable {
  openContext(proxy: EgressProxy): Promise<BrowserContext>;
  /** Closes the browser, which only then has written everything down. */
  closeAndAccount(): Promise<NetworkAccount>;
}

export async function startConfinedBrowser(
  change: (launch: LaunchOptions) => LaunchOptions = (launch) => launch,
): Promise<ConfinedBrowser> {
  const folder = await mkdtemp(join(tmpdir(), "errand-egress-"));
  const account = join(folder, "net-log.json");
  const launch = change(confinedLaunch());
  const browser = await chromium.launch({
    ...launch,
    executablePath: await findBrowser(),
    args: [...(launch.args ?? []), ...AS_ROOT, `--log-net-log=${account}`],
  });
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

async function findBrowser(): Promise<string> {
  const { ERRAND_BROWSER_PATH: chosen, PATH: searchPath = "" } = readEnvironment();
  const located = await locateBrowser({ explicitPath: chosen ?? null, searchPath });
  if (located === null) throw new Error("no browser was found: scripts/bootstrap --browser installs one");
  return located.path;
}

async function openContext(browser: Browser, proxy: EgressProxy): Promise<BrowserContext> {
  const context = await openConfinedContext(browser, proxy, { ignoreHTTPSErrors: true });
  context.setDefaultTimeout(20_000);
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
