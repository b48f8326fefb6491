import type { Page } from "playwright-core";
import { untilAborted } from "../../lib/until-aborted.ts";
import type { PinnedElement } from "../session/browser-session.ts";
import { completeFrame } from "./complete-frame.ts";
import { type DraftNode, finishTree, walkFrame } from "./draft-node.ts";
import { fingerprint } from "./fingerprint.ts";
import type { FrameReading } from "./frame-reading.ts";
import { maskSecrets } from "./mask-secrets.ts";
import type { Observation } from "./observation.ts";
import { type Believed, pinElement } from "./pin-element.ts";
import { type ReadPage, readPage } from "./read-page.ts";

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
  let believed: ReadonlyMap<string, Believed> = new Map();
  const kept: FrameReading[] = [];

  async function release(): Promise<void> {
    // A handle whose document has gone cannot be released any more, and need not be.
    await Promise.allSettled(kept.splice(0).map((reading) => reading.dispose()));
  }

  async function look(signal: AbortSignal): Promise<PageView> {
    await release();
    // Script in a page can stand still, and nothing that runs in it comes back then.
    const read = await untilAborted(readPage(page, { keep: (reading) => kept.push(reading), signal }), signal);
    remember(secrets, read);
    const [main] = read.frames;
    believed = complete(read, [...secrets]);
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

function remember(secrets: Set<string>, { frames }: ReadPage): void {
  for (const { facts } of frames) for (const secret of facts?.secrets ?? []) secrets.add(secret);
  for (const oldest of secrets) if (secrets.size > MAX_SECRETS) secrets.delete(oldest);
}

/** Completes every frame's part of the tree, and answers what is believed of each thing that can be acted on. */
function complete({ frames }: ReadPage, secrets: readonly string[]): Map<string, Believed> {
  const believed = new Map<string, Believed>();
  let issued = 0;
  const issueRef = () => `c${++issued}`;
  for (const frame of frames) {
    for (const { node, click } of completeFrame(frame, issueRef)) {
      if (node.ref === null || frame.reading === null) continue;
      believed.set(node.ref, { kind: "kept", node, reading: frame.reading, index: click.index, text: click.text });
    }
  }
  maskSecrets(frames[0].root, secrets);
  for (const { root } of frames) believeIn(root, believed);
  return believed;
}

function believeIn(root: DraftNode, believed: Map<string, Believed>): void {
  for (const node of walkFrame(root)) {
    const { ref, source } = node;
    if (ref !== null && source !== null) believed.set(ref, { kind: "snapshot", node, source });
  }
}
