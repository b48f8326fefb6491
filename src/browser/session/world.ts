import type { Browser, BrowserContext, Page } from "playwright-core";
import { inTime } from "../../lib/in-time.ts";
import { type EgressProxy, startEgressProxy } from "../egress/egress-proxy.ts";
import type { RunningBrowser } from "../running-browser.ts";
import { seedSessionStorage } from "../state/seed-session-storage.ts";
import { type AddressPolicy, createAddressPolicy } from "./address-policy.ts";
import { Dialogs } from "./dialogs.ts";
import { Downloads } from "./downloads.ts";
import type { Lifeline } from "./lifeline.ts";
import { NetworkRecorder } from "./network-recorder.ts";
import { RefusedHosts } from "./refused-hosts.ts";
import { openRunContext } from "./run-context.ts";
import type { SessionLimits } from "./session-limits.ts";
import type { SessionOptions } from "./session-options.ts";
import { Tabs } from "./tabs.ts";
import { Timeline } from "./timeline.ts";
import { guardContext, refuseWebSockets } from "./write-guard.ts";
import { tapWrites } from "./write-tap.ts";

const CLOSE_TIMEOUT_MS = 2_000;

export interface WorldOptions {
  readonly browser: Browser;
  readonly options: SessionOptions;
  readonly lifeline: Lifeline;
  readonly limits: SessionLimits;
  readonly downloadsFolder: string;
  /** Whether nobody else uses this browser. */
  readonly isExclusive: boolean;
  /** Whether somebody stands already where requests leave the browser. */
  readonly isTapped?: boolean;
}

/** A context with its own way out, and everything that watches it. */
export interface World extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly timeline: Timeline;
  readonly policy: AddressPolicy;
  readonly refused: RefusedHosts;
  readonly network: NetworkRecorder;
  readonly tabs: Tabs;
  readonly dialogs: Dialogs;
  readonly downloads: Downloads;
  readonly lifeline: Lifeline;
  readonly limits: SessionLimits;
}

/** A world ends with its browser. */
export function followBrowser({ browser, explainEnd }: RunningBrowser, lifeline: Lifeline): void {
  browser.once("disconnected", () => {
    lifeline.lose(explainEnd() ?? "The browser has ended: it crashed or was killed.");
  });
  if (!browser.isConnected()) lifeline.lose("The browser ended before it was used.");
}

export async function openWorld(world: WorldOptions): Promise<World> {
  const { allowedHosts, privateHosts, clock } = world.options;
  const timeline = new Timeline();
  const refused = new RefusedHosts(timeline);
  const onRefused = refused.note.bind(refused);
  const proxy = await startEgressProxy({ allowedHosts, privateHosts, clock, onRefused });
  try {
    // Some questions to a browser stay without an answer when it ends, and all of them when it hangs.
    const opening = openBehind(proxy, world, timeline, refused);
    const opened = await world.lifeline.until(inTime(opening, world.limits.openMs));
    return opened ?? (await giveUp(opening, world.lifeline));
  } catch (error) {
    await proxy[Symbol.asyncDispose]();
    throw error;
  }
}

/** It may still come about, without anybody to close it. */
async function giveUp(opening: Promise<World>, lifeline: Lifeline): Promise<never> {
  opening.then(
    (world) => world[Symbol.asyncDispose](),
    () => {},
  );
  throw lifeline.lose("The browser hangs: no page can be opened in it.");
}

async function openBehind(
  proxy: EgressProxy,
  { browser, options, lifeline, limits, downloadsFolder, isExclusive, isTapped = false }: WorldOptions,
  timeline: Timeline,
  refused: RefusedHosts,
): Promise<World> {
  const { access, clock, state } = options;
  const isReadOnly = access === "read_only";
  const { context, page } = await openRunContext(browser, proxy, {
    serviceWorkers: isReadOnly ? "block" : "allow",
    ...(state === undefined ? {} : { storageState: state.storage }),
  });
  if (state !== undefined) await seedSessionStorage(context, state.sessionStorage);
  const policy = createAddressPolicy(options);
  const network = new NetworkRecorder({ timeline, clock, policy, refused, lifeline, limits, isReadOnly });
  if (isReadOnly) await refuseWebSockets(context);
  if (isReadOnly && !isExclusive) await guardContext(context);
  if (isExclusive && !isTapped) {
    await tapWrites(browser, { holdsBack: isReadOnly, onWrite: (write) => network.follow(write) });
  }
  const dialogs = new Dialogs(timeline, limits);
  const downloads = new Downloads({ timeline, folder: downloadsFolder, limits: options.downloads });
  for (const watcher of [network, dialogs, downloads]) watcher.watch(context);
  const onOpened = (opened: Page) => network.watchWebSockets(opened);
  const tabs = new Tabs(context, page, { timeline, lifeline, limits, onOpened });
  return {
    context,
    timeline,
    policy,
    refused,
    network,
    tabs,
    dialogs,
    downloads,
    lifeline,
    limits,
    async [Symbol.asyncDispose]() {
      tabs.stop();
      // A page that hangs does not close; it goes with its browser.
      await inTime(
        context.close().catch(() => {}),
        CLOSE_TIMEOUT_MS,
      );
      await proxy[Symbol.asyncDispose]();
    },
  };
}
