import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Frame, Page } from "playwright-core";
import { abortable, runInSlices } from "../../lib/waiting.ts";
import { completeFrame } from "./complete-frame.ts";
import { type DraftNode, finishTree, MASK, walkFrame } from "./draft.ts";
import { labelFields } from "./label-fields.ts";
import { type Observation, type ObservedNode, walk } from "./observation.ts";
import { type ObservedTarget, type PinnedElement, pinElement } from "./pin-element.ts";
import { FrameScanners, type ReadPage, readPage } from "./read-page.ts";

/** The part of an observation that comes from one page. */
export interface PageView extends Omit<Observation, "number" | "tabs" | "dialog"> {
  /** Notices that the page showed since the last observation, and has removed. */
  readonly notices?: readonly string[];
}

/** Observes one page. Refs are those of the latest observation; an element keeps its ref as long as it is in the document. */
export interface PageObserver {
  observe(signal: AbortSignal): Promise<PageView>;
  /** The element behind a ref of the latest observation; throws StaleElement when it is gone or has changed. */
  pin(ref: string): Promise<PinnedElement>;
}

const MAX_ATTEMPTS = 5;
const LOAD_TIMEOUT_MS = 3_000;
const MAX_SECRETS = 100;

export function createPageObserver(page: Page): PageObserver {
  /** Remembered, because a "show password" button turns a secret field into an ordinary one. */
  const secrets = new Set<string>();
  let targets: ReadonlyMap<string, ObservedTarget> = new Map();
  const scanners = new FrameScanners();
  const frameNumbers = new Map<Frame, number>();

  /** The main frame is 0. */
  function numberFrame(frame: Frame | null): number {
    if (frame === null || frame === page.mainFrame()) return 0;
    const number = frameNumbers.get(frame) ?? frameNumbers.size + 1;
    frameNumbers.set(frame, number);
    return number;
  }

  async function observeOnce(signal: AbortSignal): Promise<PageView> {
    // Calls into a page whose script blocks never return.
    const read = await abortable(readPage(page, scanners), signal);
    rememberSecrets(secrets, read);
    const [main] = read.frames;
    // The tree of a long page takes so long that other work must have its turn in between.
    await setImmediate();
    targets = await runInSlices(completeFrames(read, numberFrame, [...secrets]));
    await setImmediate();
    labelFields(main.root);
    await setImmediate();
    const tree = finishTree(main.root);
    await setImmediate();
    const { title, viewport, scroll, extents, notices } = main.facts;
    const root = extents.length === 0 ? tree : { ...tree, extents };
    return {
      url: read.url,
      title,
      root,
      viewport,
      scroll,
      notices,
      fingerprint: await runInSlices(fingerprint(read.url, root)),
    };
  }

  return {
    async observe(signal) {
      for (let attempt = 1; ; attempt++) {
        signal.throwIfAborted();
        try {
          return await observeOnce(signal);
        } catch (error) {
          if (attempt === MAX_ATTEMPTS || signal.aborted || page.isClosed()) throw error;
          // Most likely the page navigated in the meantime. Observe the new document.
          await page.waitForLoadState("domcontentloaded", { timeout: LOAD_TIMEOUT_MS }).catch(() => {});
        }
      }
    },
    pin: (ref) => pinElement(ref, targets.get(ref)),
  };
}

function rememberSecrets(secrets: Set<string>, { frames }: ReadPage): void {
  for (const { facts } of frames) for (const secret of facts?.secrets ?? []) secrets.add(secret);
  for (const oldest of secrets) if (secrets.size > MAX_SECRETS) secrets.delete(oldest);
}

/** Completes the tree of every frame. Returns the targets by ref. */
function* completeFrames(
  { frames }: ReadPage,
  numberFrame: (frame: Frame | null) => number,
  secrets: readonly string[],
): Generator<void, Map<string, ObservedTarget>> {
  const targets = new Map<string, ObservedTarget>();
  for (const draft of frames) {
    const inFrame = numberFrame(draft.frame);
    yield* completeFrame(draft, (number) => `${inFrame === 0 ? "" : `f${inFrame}`}e${number}`);
  }
  yield;
  maskSecrets(frames[0].root, secrets);
  for (const { root, scanner } of frames) {
    for (const node of walkFrame(root)) {
      if (node.ref !== null && node.source !== null && scanner !== null)
        targets.set(node.ref, { node, source: node.source, scanner });
    }
  }
  return targets;
}

/** Shorter secrets are masked only where they are the whole value of a field, else every "1" on a page would be masked. */
const MIN_CHARS_IN_TEXT = 4;

/** Masks secrets everywhere else in the tree. The fields that they come from are masked already. */
function maskSecrets(root: DraftNode, secrets: readonly string[]): void {
  if (secrets.length === 0) return;
  const alone = new Set(secrets);
  const inText = secrets.filter((secret) => secret.length >= MIN_CHARS_IN_TEXT).toSorted((a, b) => b.length - a.length);
  const maskText = (text: string) => inText.reduce((masked, secret) => maskWithin(masked, secret), text);
  const mask = (node: DraftNode): void => {
    node.name = maskText(node.name);
    if (node.value !== null) node.value = alone.has(node.value) ? MASK : maskText(node.value);
    if (node.url !== null) node.url = maskText(node.url);
    node.children.forEach(mask);
  };
  mask(root);
}

function maskWithin(text: string, secret: string): string {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const spaced = secret.replace(/\s+/g, " ").trim();
  return [secret, spaced, encoded]
    .filter((form) => form.length >= MIN_CHARS_IN_TEXT)
    .reduce((masked, form) => masked.replaceAll(form, MASK), text);
}

/** Covers the URL with its fragment and everything in the tree except positions. */
function* fingerprint(url: string, root: ObservedNode): Generator<void, string> {
  const hash = createHash("sha256").update(url);
  for (const { node } of walk(root)) {
    const { role, name, value, states, children } = node;
    hash.update(JSON.stringify([role, name, value, Object.entries(states).toSorted(), children.length]));
    yield;
  }
  return hash.digest("base64url");
}
