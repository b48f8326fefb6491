import type { ElementHandle, Frame, JSHandle, Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import type { FrameDraft } from "./complete-frame.ts";
import { type Collected, collectFacts, readField } from "./in-page/collect-facts.ts";
import { LISTENERS_KEY } from "./in-page/init-scripts.ts";
import { createClickReader, describeAppearance } from "./in-page/read-click-target.ts";
import { readHiddenText } from "./in-page/read-hidden-text.ts";
import { walkPage } from "./in-page/walk-page.ts";
import { type PageFacts, SECRET_AUTOCOMPLETE } from "./page-facts.ts";
import { type DraftNode, draftText, parseSnapshot, walkFrame } from "./snapshot.ts";

interface ReadFrame extends FrameDraft {
  readonly reading: FrameReading | null;
}

export interface ReadPage {
  /** The page itself first, then its frames, each after the one it stands in. */
  readonly frames: readonly [ReadFrame & { readonly facts: PageFacts }, ...ReadFrame[]];
  readonly url: string;
}

interface ReadOptions {
  /** Told of every reading that is made, also when the whole fails: somebody has to release it. */
  readonly keep: (reading: FrameReading) => void;
  readonly signal: AbortSignal;
}

const SNAPSHOT_TIMEOUT_MS = 15_000;
/** Some frames never answer, such as one whose server hangs. The page is looked at without them. */
const FRAME_TIMEOUT_MS = 2_000;

/**
 * The pass over each frame, then the snapshot, then the facts of the pass: they can only be fetched while the document of
 * the pass is still there, so snapshot and facts are of the same documents. Throws when the page navigates meanwhile.
 */
export async function readPage(page: Page, { keep, signal }: ReadOptions): Promise<ReadPage> {
  const readAndKeep = async (frame: Frame) => {
    const made = await readFrame(frame);
    keep(made);
    return made;
  };
  const readings = new Map<Frame, Promise<FrameReading | null>>();
  for (const frame of page.frames()) {
    if (frame !== page.mainFrame()) readings.set(frame, orNull(readAndKeep(frame)));
  }
  const reading = await readAndKeep(page.mainFrame());
  await Promise.all(readings.values());
  const snapshot = await page.ariaSnapshotJSON({ mode: "ai", boxes: true, signal, timeout: SNAPSHOT_TIMEOUT_MS });
  const facts = await fetchFacts(reading);
  const root: DraftNode = { ...draftText(facts.title), role: "document", children: parseSnapshot(snapshot) };
  const main = { root, facts, reading, origin: { x: 0, y: 0 } };
  return { frames: [main, ...(await readFramesIn(page, main, readings))], url: page.url() };
}

/** Null when it fails or takes too long: a frame may go away at any time, and that is no fault of the page. */
function orNull<Result>(result: Promise<Result>): Promise<Result | null> {
  return withTimeout(
    result.catch(() => null),
    FRAME_TIMEOUT_MS,
  );
}

async function readFramesIn(
  page: Page,
  { root, origin }: FrameDraft,
  readings: ReadonlyMap<Frame, Promise<FrameReading | null>>,
): Promise<ReadFrame[]> {
  const iframes = [...walkFrame(root)].filter(({ role }) => role === "iframe");
  const read = await Promise.all(
    iframes.map(async (node): Promise<ReadFrame[]> => {
      const found = await orNull(locateFrame(page, node));
      const reading = found?.frame ? ((await readings.get(found.frame)) ?? null) : null;
      const facts = reading === null ? null : await orNull(fetchFacts(reading));
      node.name = found?.title ?? "";
      const { x = 0, y = 0 } = node.source?.box ?? {};
      const frame = {
        root: node,
        facts,
        reading,
        origin: { x: origin.x + x + (found?.inset.x ?? 0), y: origin.y + y + (found?.inset.y ?? 0) },
      };
      return [frame, ...(await readFramesIn(page, frame, readings))];
    }),
  );
  return read.flat();
}

async function locateFrame(page: Page, { source }: DraftNode) {
  if (source === null || source.ref === null) return null;
  const [found] = await page.getByRef(source.ref).elementHandles();
  const handle = found as ElementHandle<Element> | undefined;
  if (handle === undefined) return null;
  const [frame, { title, inset }] = await Promise.all([
    handle.contentFrame(),
    handle.evaluate((element) => {
      const { paddingLeft, paddingTop } = getComputedStyle(element);
      const inset = {
        x: Math.round(element.clientLeft + Number.parseFloat(paddingLeft)),
        y: Math.round(element.clientTop + Number.parseFloat(paddingTop)),
      };
      return { title: (element.getAttribute("title") || element.getAttribute("name") || "").trim(), inset };
    }),
  ]);
  await handle.dispose();
  return { frame, title, inset };
}

/** The pass over one frame's document. It stays in the page until its facts are asked for. */
export type FrameReading = JSHandle<Collected>;

/** The functions travel as text, so each must make do with its parameters. */
const READING_SOURCE = `(${collectFacts})({
  walk: ${walkPage},
  createClickReader: ${createClickReader},
  describeLook: ${describeAppearance},
  readField: ${readField},
  readHiddenText: ${readHiddenText},
  listenersPassword: ${JSON.stringify(LISTENERS_KEY)},
  secretPattern: ${JSON.stringify(SECRET_AUTOCOMPLETE)},
})`;

function readFrame(frame: Frame): Promise<FrameReading> {
  return frame.evaluateHandle<Collected>(READING_SOURCE);
}

/** Fails when the document has gone since, so that a snapshot taken in between is known to be of the same document. */
async function fetchFacts(reading: FrameReading): Promise<PageFacts> {
  // As text it arrives several times faster; but old libraries bend how a page writes JSON.
  const facts = await reading.evaluate(({ facts: taken }) =>
    "toJSON" in Array.prototype || "toJSON" in Object.prototype ? taken : JSON.stringify(taken),
  );
  return typeof facts === "string" ? (JSON.parse(facts) as PageFacts) : facts;
}
