import { onTestFinished } from "vitest";
import type {
  LiveBrowser,
  LiveChoices,
  LiveDialog,
  LiveField,
  LiveFrame,
  LiveOptions,
  LivePage,
} from "../../src/browser/live/live-browser.ts";
import type { BrowserPool } from "../../src/browser/pool/browser-pool.ts";
import type { KeyInput, PointerInput } from "../../src/browser/session/person-input.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { never, until } from "./browser-session.ts";

/** A live browser that records everything it reports. */
export interface WatchedBrowser extends LiveBrowser {
  readonly frames: LiveFrame[];
  readonly page: () => LivePage | null;
  /** Everything that was reported, oldest first. */
  readonly pages: LivePage[];
  readonly field: () => LiveField | null;
  readonly dialog: () => LiveDialog | null;
  readonly choices: () => LiveChoices | null;
  readonly rests: () => number;
  readonly losses: string[];
}

export async function openLive(
  pool: BrowserPool,
  sites: readonly { host: string }[],
  url: string,
  options: Partial<LiveOptions> = {},
): Promise<WatchedBrowser> {
  const told: { page: LivePage | null; field: LiveField | null; dialog: LiveDialog | null; rests: number } = {
    page: null,
    field: null,
    dialog: null,
    rests: 0,
  };
  let choices: LiveChoices | null = null;
  const frames: LiveFrame[] = [];
  const losses: string[] = [];
  const pages: LivePage[] = [];
  const live = await pool.openLive(
    {
      url,
      viewport: { width: 800, height: 600 },
      isTouch: false,
      privateHosts: sites.map(({ host }) => host),
      clock: systemClock,
      listener: {
        onFrame: (frame) => frames.push(frame),
        onPage: (page) => {
          told.page = page;
          pages.push(page);
        },
        onField: (field) => {
          told.field = field;
        },
        onDialog: (dialog) => {
          told.dialog = dialog;
        },
        onChoices: (offered) => {
          choices = offered;
        },
        onSettled: () => {
          told.rests += 1;
        },
        onLost: (reason) => losses.push(reason),
      },
      ...options,
    },
    never,
  );
  onTestFinished(async () => live[Symbol.asyncDispose]());
  return Object.assign(live, {
    frames,
    losses,
    pages,
    page: () => told.page,
    field: () => told.field,
    dialog: () => told.dialog,
    choices: () => choices,
    rests: () => told.rests,
  });
}

/** Waits until the page with this title has loaded. */
export async function arrive(live: WatchedBrowser, title: string): Promise<void> {
  await until(() => live.page()?.title === title && live.page()?.isLoading === false);
}

export function press(live: LiveBrowser, x: number, y: number): void {
  const at = { type: "pointer", x, y, modifiers: 0 } as const;
  const steps: PointerInput[] = [
    { ...at, kind: "move", button: "none", buttons: 0, clicks: 0 },
    { ...at, kind: "down", button: "left", buttons: 1, clicks: 1 },
    { ...at, kind: "up", button: "left", buttons: 0, clicks: 1 },
  ];
  for (const step of steps) live.input(step);
}

export function strike(live: LiveBrowser, key: string, given: Partial<KeyInput> = {}): void {
  const code = /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : key;
  const event = { type: "key", key, code, modifiers: 0, isRepeat: false, ...given } as const;
  live.input({ ...event, kind: "down" });
  live.input({ ...event, kind: "up" });
}

/** Waits until the page contains this text. */
export async function untilText(live: LiveBrowser, text: string): Promise<void> {
  await until(async () => (await live.view(never)).text.includes(text));
}
