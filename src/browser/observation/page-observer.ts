import { createHash } from "node:crypto";
import type { Page } from "playwright-core";
import { abortable } from "../../lib/waiting.ts";
import { completeFrame } from "./complete-frame.ts";
import type { Observation, ObservedNode } from "./observation.ts";
import type { PinnedElement } from "./pin-element.ts";
import { type ObservedTarget, pinElement } from "./pin-element.ts";
import { type FrameReading, type ReadPage, readPage } from "./read-page.ts";
import { type DraftNode, finishTree, walkFrame } from "./snapshot.ts";

/** What one page adds to an observation. */
export type PageView = Omit<Observation, "number" | "tabs" | "dialog">;

/** Looks at one page. No one else may take snapshots of it: each makes the refs of the one before stale. */
export interface PageObserver {
  observe(signal: AbortSignal): Promise<PageView>;
  /** The element behind a ref of the newest look; throws StaleElement when it has gone or has become another. */
  pin(ref: string): Promise<PinnedElement>;
}

const MAX_ATTEMPTS = 5;
const LOAD_TIMEOUT_MS = 3_000;
const MAX_SECRETS = 100;

export function createPageObserver(page: Page): PageObserver {
  /** Once typed as a secret it stays one, also after a "show password" button has made its field an ordinary one. */
  const secrets = new Set<string>();
  let believed: ReadonlyMap<string, ObservedTarget> = new Map();
  const kept: FrameReading[] = [];

  async function release(): Promise<void> {
    // A handle whose document has gone cannot be released any more, and need not be.
    await Promise.allSettled(kept.splice(0).map((reading) => reading.dispose()));
  }

  async function look(signal: AbortSignal): Promise<PageView> {
    await release();
    // Script in a page can stand still, and nothing that runs in it comes back then.
    const read = await abortable(readPage(page, { keep: (reading) => kept.push(reading), signal }), signal);
    rememberSecrets(secrets, read);
    const [main] = read.frames;
    believed = completeFrames(read, [...secrets]);
    const root = finishTree(main.root);
    const { title, viewport, scroll } = main.facts;
    return { url: read.url, title, root, viewport, scroll, fingerprint: fingerprint(read.url, root) };
  }

  return {
    async observe(signal) {
      for (let attempt = 1; ; attempt++) {
        signal.throwIfAborted();
        try {
          return await look(signal);
        } catch (error) {
          if (attempt === MAX_ATTEMPTS || signal.aborted || page.isClosed()) throw error;
          // Most likely the page went elsewhere in the middle: look at what comes.
          await page.waitForLoadState("domcontentloaded", { timeout: LOAD_TIMEOUT_MS }).catch(() => {});
        }
      }
    },
    pin: (ref) => pinElement(page, ref, believed.get(ref)),
  };
}

function rememberSecrets(secrets: Set<string>, { frames }: ReadPage): void {
  for (const { facts } of frames) for (const secret of facts?.secrets ?? []) secrets.add(secret);
  for (const oldest of secrets) if (secrets.size > MAX_SECRETS) secrets.delete(oldest);
}

/** Completes every frame's part of the tree, and answers what is believed of each thing that can be acted on. */
function completeFrames({ frames }: ReadPage, secrets: readonly string[]): Map<string, ObservedTarget> {
  const believed = new Map<string, ObservedTarget>();
  let issued = 0;
  const issueRef = () => `c${++issued}`;
  for (const frame of frames) {
    for (const { node, click } of completeFrame(frame, issueRef)) {
      if (node.ref === null || frame.reading === null) continue;
      believed.set(node.ref, { kind: "kept", node, reading: frame.reading, index: click.index, text: click.text });
    }
  }
  maskSecrets(frames[0].root, secrets);
  for (const { root } of frames) addSnapshotTargets(root, believed);
  return believed;
}

function addSnapshotTargets(root: DraftNode, believed: Map<string, ObservedTarget>): void {
  for (const node of walkFrame(root)) {
    const { ref, source } = node;
    if (ref !== null && source !== null) believed.set(ref, { kind: "snapshot", node, source });
  }
}

const SECRET_MASK = "••••••";
/** Shorter ones are masked only where they stand alone in a field, else every "1" of a page would go. */
const MIN_CHARS_IN_TEXT = 4;

/** Takes secrets out of everything that could hold one. The fields they come from are masked already. */
function maskSecrets(root: DraftNode, secrets: readonly string[]): void {
  if (secrets.length === 0) return;
  const alone = new Set(secrets);
  const inText = secrets.filter((secret) => secret.length >= MIN_CHARS_IN_TEXT).toSorted((a, b) => b.length - a.length);
  const maskText = (text: string) => inText.reduce((masked, secret) => maskWithin(masked, secret), text);
  const mask = (node: DraftNode): void => {
    node.name = maskText(node.name);
    if (node.value !== null) node.value = alone.has(node.value) ? SECRET_MASK : maskText(node.value);
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
    .reduce((masked, form) => masked.replaceAll(form, SECRET_MASK), text);
}

/** Equal for two looks at the same state: the address with its fragment, and everything but places. */
function fingerprint(url: string, root: ObservedNode): string {
  const hash = createHash("sha256").update(url);
  const add = ({ role, name, value, states, children }: ObservedNode): void => {
    hash.update(JSON.stringify([role, name, value, Object.entries(states).toSorted(), children.length]));
    children.forEach(add);
  };
  add(root);
  return hash.digest("base64url");
}
