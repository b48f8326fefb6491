import { setImmediate } from "node:timers/promises";
import type { Frame, JSHandle, Page } from "playwright-core";
import { withTimeout } from "../../lib/waiting.ts";
import type { FrameDraft } from "./complete-frame.ts";
import { type DraftNode, draftText, toDrafts, walkFrame } from "./draft.ts";
import { collectFacts, createScanner, readField, type Scanner, type ScanParts } from "./in-page/collect-facts.ts";
import { describeAppearance } from "./in-page/describe-appearance.ts";
import { LISTENERS_KEY } from "./in-page/init-scripts.ts";
import { createClickReader } from "./in-page/read-click-target.ts";
import { createCoverReader } from "./in-page/read-cover.ts";
import { createDragReader } from "./in-page/read-drag.ts";
import { createDrawingReader } from "./in-page/read-drawing.ts";
import { createDrawnFieldReader } from "./in-page/read-drawn-fields.ts";
import { createHandlerReader } from "./in-page/read-handlers.ts";
import { createHiddenTextReader } from "./in-page/read-hidden-text.ts";
import { createIconTextReader } from "./in-page/read-icon-text.ts";
import { readListExtents } from "./in-page/read-list-extents.ts";
import { createNameReader } from "./in-page/read-name.ts";
import { createPickedReader } from "./in-page/read-picked.ts";
import { createRoleReader } from "./in-page/read-role.ts";
import { createStateReader } from "./in-page/read-states.ts";
import { createStyleSheetReader } from "./in-page/read-style-sheets.ts";
import { readTree } from "./in-page/read-tree.ts";
import { readWords } from "./in-page/read-words.ts";
import { walkPage } from "./in-page/walk-page.ts";
import { watchNotices } from "./in-page/watch-notices.ts";
import { CUT_MARK } from "./observation.ts";
import { PageElement } from "./page-element.ts";
import { type PageFacts, SECRET_AUTOCOMPLETE } from "./page-facts.ts";
import { dropInvisible, INVISIBLE } from "./visible-text.ts";

interface ScannedFrame extends FrameDraft {
  /** Null when it could not be found. */
  readonly frame: Frame | null;
  readonly scanner: FrameScanner | null;
}

export interface ReadPage {
  /** The main frame first, then the others, each after its parent. */
  readonly frames: readonly [ScannedFrame & { readonly facts: PageFacts }, ...ScannedFrame[]];
  readonly url: string;
}

/** Some frames never respond, for example when their server hangs. The page is read without them. */
const FRAME_TIMEOUT_MS = 2_000;

/** Reads each frame in one pass. Throws when the page navigates meanwhile. */
export async function readPage(page: Page, scanners: FrameScanners): Promise<ReadPage> {
  const scans = new Map<Frame, Promise<Scan | null>>();
  for (const frame of page.frames()) {
    if (frame !== page.mainFrame()) scans.set(frame, orNull(scanners.scan(frame)));
  }
  const { facts, scanner, url } = await scanners.scan(page.mainFrame());
  const root: DraftNode = { ...draftText(facts.title), role: "document", children: toDrafts(facts.tree) };
  const main = { frame: page.mainFrame(), root, facts, scanner, origin: { x: 0, y: 0 } };
  return { frames: [main, ...(await readFramesIn(main, scans))], url };
}

/** Null when it fails or takes too long: a frame may disappear at any time. */
function orNull<Result>(result: Promise<Result>): Promise<Result | null> {
  return withTimeout(
    result.catch(() => null),
    FRAME_TIMEOUT_MS,
  );
}

async function readFramesIn(
  { root, origin, scanner: outer }: ScannedFrame,
  scans: ReadonlyMap<Frame, Promise<Scan | null>>,
): Promise<ScannedFrame[]> {
  const iframes = walkFrame(root).filter(({ role }) => role === "iframe");
  const read = await Promise.all(
    iframes.map(async (node): Promise<ScannedFrame[]> => {
      const found = outer === null ? null : await orNull(locateFrame(outer, node));
      const scan = found?.frame ? ((await scans.get(found.frame)) ?? null) : null;
      node.children = scan === null ? [] : toDrafts(scan.facts.tree);
      const { x = 0, y = 0 } = node.box ?? {};
      const frame = {
        frame: found?.frame ?? null,
        root: node,
        facts: scan?.facts ?? null,
        scanner: scan?.scanner ?? null,
        origin: { x: origin.x + x + (found?.inset.x ?? 0), y: origin.y + y + (found?.inset.y ?? 0) },
      };
      return [frame, ...(await readFramesIn(frame, scans))];
    }),
  );
  return read.flat();
}

async function locateFrame(scanner: FrameScanner, { source }: DraftNode) {
  const found = await takeElement(scanner, { number: source?.number ?? 0, words: "" });
  if (typeof found === "string") return null;
  const handle = await found.toHandle();
  const [frame, inset] = await Promise.all([
    handle.contentFrame(),
    handle.evaluate((element) => {
      const { paddingLeft, paddingTop } = getComputedStyle(element);
      return {
        x: Math.round(element.clientLeft + Number.parseFloat(paddingLeft)),
        y: Math.round(element.clientTop + Number.parseFloat(paddingTop)),
      };
    }),
  ]);
  await handle.dispose();
  return { frame, inset };
}

/** The functions are sent to the page as source text, so each may only use its parameters and locals. */
const SCAN_PARTS: ScanParts = {
  collectFacts,
  walkPage,
  createClickReader,
  createCoverReader,
  createDragReader,
  createDrawingReader,
  createDrawnFieldReader,
  createHandlerReader,
  describeAppearance,
  readField,
  createHiddenTextReader,
  createIconTextReader,
  createNameReader,
  createPickedReader,
  createRoleReader,
  createStateReader,
  createStyleSheetReader,
  readListExtents,
  readTree,
  readWords,
  watchNotices,
  listenersKey: LISTENERS_KEY,
  secretPattern: SECRET_AUTOCOMPLETE,
  invisiblePattern: INVISIBLE,
  cutMark: CUT_MARK,
};
const PART_SOURCES = Object.entries(SCAN_PARTS).map(
  ([name, part]) => `${name}: ${typeof part === "function" ? part : JSON.stringify(part)}`,
);
const SCANNER_SOURCE = `(${createScanner})({ ${PART_SOURCES.join(",\n")} })`;

/** Init script, after the one that records listeners. Keeps the source in each document: sending it takes as long as a page. */
export const KEEP_SCANNER = `Object.defineProperty(document.addEventListener(${JSON.stringify(LISTENERS_KEY)}), "createScanner", {
  value: () => ${SCANNER_SOURCE},
});`;

/** Runs in the page. Fails where the init script did not run. */
function createKept(listenersKey: string): Scanner {
  const kept: unknown = Reflect.apply(document.addEventListener, document, [listenersKey]);
  return (kept as { createScanner(): Scanner }).createScanner();
}

/** Reads one document. It is gone with its document. */
export interface FrameScanner {
  readonly frame: Frame;
  readonly inPage: JSHandle<Scanner>;
}

/** The element with a number, or what has happened to it. */
export function takeElement({ frame, inPage }: FrameScanner, expected: { number: number; words: string }) {
  return PageElement.take(inPage, frame, (scanner, { number, words }) => scanner.take(number, words), expected);
}

interface Scan {
  readonly facts: PageFacts;
  readonly scanner: FrameScanner;
  /** Of the document that was read. The frame may have another one by now. */
  readonly url: string;
}

/** The scanners of the frames of a page. Each is sent once per document. */
export class FrameScanners {
  readonly #scanners = new Map<Frame, FrameScanner>();

  async scan(frame: Frame): Promise<Scan> {
    const known = this.#scanners.get(frame);
    // Fails when the document has been replaced.
    const scan = known === undefined ? null : await readFacts(known).catch(() => null);
    if (scan !== null) return scan;
    for (const one of this.#scanners.keys()) if (one.isDetached()) this.#scanners.delete(one);
    const creating = frame.evaluateHandle(createKept, LISTENERS_KEY);
    const inPage = await creating.catch(() => frame.evaluateHandle<Scanner>(SCANNER_SOURCE));
    const scanner = { frame, inPage };
    this.#scanners.set(frame, scanner);
    return readFacts(scanner);
  }
}

/** The facts of a large page are megabytes: other work of the process gets its turn before and after they are parsed. */
async function readFacts(scanner: FrameScanner): Promise<Scan> {
  const read = await scanner.inPage.evaluate((inPage) => inPage.scan());
  const url = scanner.frame.url();
  await setImmediate();
  // The syntax of JSON is ASCII, so all texts can be cleaned at once.
  const facts = JSON.parse(dropInvisible(typeof read === "string" ? read : JSON.stringify(read))) as PageFacts;
  await setImmediate();
  return { facts, scanner, url };
}
