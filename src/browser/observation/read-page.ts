import type { ElementHandle, Frame, JSHandle, Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import type { FrameDraft } from "./complete-frame.ts";
import { type Collected, collectFacts, readField, type ScanParts } from "./in-page/collect-facts.ts";
import { describeAppearance } from "./in-page/describe-appearance.ts";
import { LISTENERS_KEY } from "./in-page/init-scripts.ts";
import { createClickReader } from "./in-page/read-click-target.ts";
import { createCoverReader } from "./in-page/read-cover.ts";
import { createDragReader } from "./in-page/read-drag.ts";
import { createDrawingReader } from "./in-page/read-drawing.ts";
import { createDrawnFieldReader } from "./in-page/read-drawn-fields.ts";
import { createHandlerReader } from "./in-page/read-handlers.ts";
import { readHiddenText } from "./in-page/read-hidden-text.ts";
import { readLineBreaks } from "./in-page/read-line-breaks.ts";
import { readWords } from "./in-page/read-words.ts";
import { walkPage } from "./in-page/walk-page.ts";
import { CUT_MARK } from "./observation.ts";
import { type PageFacts, SECRET_AUTOCOMPLETE } from "./page-facts.ts";
import { type DraftNode, draftText, parseSnapshot, walkFrame } from "./snapshot.ts";
import { dropInvisible, INVISIBLE, toVisibleText } from "./visible-text.ts";

interface ScannedFrame extends FrameDraft {
  readonly scan: FrameScan | null;
}

export interface ReadPage {
  /** The main frame first, then the others, each after its parent. */
  readonly frames: readonly [ScannedFrame & { readonly facts: PageFacts }, ...ScannedFrame[]];
  readonly url: string;
}

interface ReadOptions {
  /** Called for every scan, even if reading the page fails later: the caller has to release it. */
  readonly keep: (scan: FrameScan) => void;
  readonly signal: AbortSignal;
}

const SNAPSHOT_TIMEOUT_MS = 15_000;
/** Some frames never respond, for example when their server hangs. The page is read without them. */
const FRAME_TIMEOUT_MS = 2_000;

/**
 * Scans each frame, then takes the snapshot, then fetches the facts of the scans. Facts can only be fetched from the
 * document that was scanned, so snapshot and facts belong to the same documents. Throws when the page navigates meanwhile.
 */
export async function readPage(page: Page, { keep, signal }: ReadOptions): Promise<ReadPage> {
  const scanAndKeep = async (frame: Frame) => {
    const scan = await frame.evaluateHandle<Collected>(SCAN_SOURCE);
    keep(scan);
    return scan;
  };
  const scans = new Map<Frame, Promise<FrameScan | null>>();
  for (const frame of page.frames()) {
    if (frame !== page.mainFrame()) scans.set(frame, orNull(scanAndKeep(frame)));
  }
  const scan = await scanAndKeep(page.mainFrame());
  await Promise.all(scans.values());
  const snapshot = await page.ariaSnapshotJSON({ mode: "ai", boxes: true, signal, timeout: SNAPSHOT_TIMEOUT_MS });
  const facts = await fetchFacts(scan);
  const root: DraftNode = { ...draftText(facts.title), role: "document", children: parseSnapshot(snapshot) };
  const main = { root, facts, scan, origin: { x: 0, y: 0 } };
  return { frames: [main, ...(await readFramesIn(page, main, scans))], url: page.url() };
}

/** Null when it fails or takes too long: a frame may disappear at any time. */
function orNull<Result>(result: Promise<Result>): Promise<Result | null> {
  return withTimeout(
    result.catch(() => null),
    FRAME_TIMEOUT_MS,
  );
}

async function readFramesIn(
  page: Page,
  { root, origin }: FrameDraft,
  scans: ReadonlyMap<Frame, Promise<FrameScan | null>>,
): Promise<ScannedFrame[]> {
  const iframes = walkFrame(root).filter(({ role }) => role === "iframe");
  const read = await Promise.all(
    iframes.map(async (node): Promise<ScannedFrame[]> => {
      const found = await orNull(locateFrame(page, node));
      const scan = found?.frame ? ((await scans.get(found.frame)) ?? null) : null;
      const facts = scan === null ? null : await orNull(fetchFacts(scan));
      node.name = toVisibleText(found?.title ?? "");
      const { x = 0, y = 0 } = node.source?.box ?? {};
      const frame = {
        root: node,
        facts,
        scan,
        origin: { x: origin.x + x + (found?.inset.x ?? 0), y: origin.y + y + (found?.inset.y ?? 0) },
      };
      return [frame, ...(await readFramesIn(page, frame, scans))];
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
      return { title: element.getAttribute("title") || element.getAttribute("name") || "", inset };
    }),
  ]);
  await handle.dispose();
  return { frame, title, inset };
}

/** The scan of one frame's document. Its result stays in the page until the facts are fetched. */
export type FrameScan = JSHandle<Collected>;

/** The functions are sent to the page as source text, so each may only use its parameters and locals. */
const SCAN_PARTS: ScanParts = {
  walkPage,
  createClickReader,
  createCoverReader,
  createDragReader,
  createDrawingReader,
  createDrawnFieldReader,
  createHandlerReader,
  describeAppearance,
  readField,
  readHiddenText,
  readLineBreaks,
  readWords,
  listenersKey: LISTENERS_KEY,
  secretPattern: SECRET_AUTOCOMPLETE,
  invisiblePattern: INVISIBLE,
  cutMark: CUT_MARK,
};
const PART_SOURCES = Object.entries(SCAN_PARTS).map(
  ([name, part]) => `${name}: ${typeof part === "function" ? part : JSON.stringify(part)}`,
);
const SCAN_SOURCE = `(${collectFacts})({ ${PART_SOURCES.join(",\n")} })`;

/** Fails when the document is gone, so a snapshot taken in between is known to be of the same document. */
async function fetchFacts(scan: FrameScan): Promise<PageFacts> {
  // Transferred as JSON text, which is several times faster, unless a library of the page has changed JSON.stringify.
  const facts = await scan.evaluate(({ facts: taken }) =>
    "toJSON" in Array.prototype || "toJSON" in Object.prototype ? taken : JSON.stringify(taken),
  );
  // The syntax of JSON is ASCII, so all texts can be cleaned at once.
  return JSON.parse(dropInvisible(typeof facts === "string" ? facts : JSON.stringify(facts))) as PageFacts;
}
