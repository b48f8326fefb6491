import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Page } from "playwright-core";
import { abortable, runInSlices } from "../../lib/waiting.ts";
import { completeFrame } from "./complete-frame.ts";
import { labelFields } from "./label-fields.ts";
import { type Observation, type ObservedNode, walk } from "./observation.ts";
import { type ObservedTarget, type PinnedElement, pinElement } from "./pin-element.ts";
import { type FrameScan, type ReadPage, readPage } from "./read-page.ts";
import { type DraftNode, finishTree, MASK, walkFrame } from "./snapshot.ts";

/** The part of an observation that comes from one page. */
export type PageView = Omit<Observation, "number" | "tabs" | "dialog">;

/** Observes one page. Nothing else may take snapshots of it: each makes all earlier refs stale. */
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
  const kept: FrameScan[] = [];

  async function release(): Promise<void> {
    // Releasing a handle fails when its document is gone, which is fine.
    await Promise.allSettled(kept.splice(0).map((scan) => scan.dispose()));
  }

  async function observeOnce(signal: AbortSignal): Promise<PageView> {
    await release();
    // Calls into a page whose script blocks never return.
    const read = await abortable(readPage(page, { keep: (scan) => kept.push(scan), signal }), signal);
    rememberSecrets(secrets, read);
    const [main] = read.frames;
    // The tree of a long page takes so long that other work must have its turn in between.
    await setImmediate();
    targets = await runInSlices(completeFrames(read, [...secrets]));
    await setImmediate();
    labelFields(main.root);
    const root = finishTree(main.root);
    await setImmediate();
    const { title, viewport, scroll } = main.facts;
    return {
      url: read.url,
      title,
      root,
      viewport,
      scroll,
      fingerprint: await runInSlices(fingerprint(read.url, root)),
    };
  }

  return {
    async observe(signal) {
      for (let attempt = 1; ; attempt++) {
        signal.throwIfAborted();
        try {
          const view = await observeOnce(signal);
          if (attempt > 1 || !hasNewField(view.root)) return view;
        } catch (error) {
          if (attempt === MAX_ATTEMPTS || signal.aborted || page.isClosed()) throw error;
          // Most likely the page navigated in the meantime. Observe the new document.
          await page.waitForLoadState("domcontentloaded", { timeout: LOAD_TIMEOUT_MS }).catch(() => {});
        }
      }
    },
    pin: (ref) => pinElement(page, ref, targets.get(ref)),
  };
}

/** A field that the scan did not know has come between scan and snapshot, and with it most likely more. */
function hasNewField(root: ObservedNode): boolean {
  return walk(root).some(({ node: { role, field, value } }) => role === "textbox" && !field && value && value !== MASK);
}

function rememberSecrets(secrets: Set<string>, { frames }: ReadPage): void {
  for (const { facts } of frames) for (const secret of facts?.secrets ?? []) secrets.add(secret);
  for (const oldest of secrets) if (secrets.size > MAX_SECRETS) secrets.delete(oldest);
}

/** Completes the tree of every frame. Returns the targets by ref. */
function* completeFrames(
  { frames }: ReadPage,
  secrets: readonly string[],
): Generator<void, Map<string, ObservedTarget>> {
  const targets = new Map<string, ObservedTarget>();
  let issued = 0;
  const issueRef = () => `c${++issued}`;
  for (const frame of frames) {
    for (const { node, record } of yield* completeFrame(frame, issueRef)) {
      if (node.ref === null || frame.scan === null) continue;
      targets.set(node.ref, { kind: "kept", node, scan: frame.scan, record });
    }
  }
  yield;
  maskSecrets(frames[0].root, secrets);
  for (const { root } of frames) addSnapshotTargets(root, targets);
  return targets;
}

function addSnapshotTargets(root: DraftNode, targets: Map<string, ObservedTarget>): void {
  for (const node of walkFrame(root)) {
    const { ref, source } = node;
    if (ref !== null && ref === source?.ref) targets.set(ref, { kind: "snapshot", node, source });
  }
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
