import type { Frame, Page } from "playwright-core";
import { inTime } from "../../lib/in-time.ts";
import type { SessionStorageOf } from "./browser-state.ts";

const FRAME_TIMEOUT_MS = 1_500;

/** Of every origin that a tab or a frame shows; what is not shown anywhere stays as it was given. */
export async function readSessionStorage(
  pages: readonly Page[],
  given: readonly SessionStorageOf[],
): Promise<SessionStorageOf[]> {
  const open = pages.filter((page) => !page.isClosed());
  const framed = open.flatMap((page) => page.frames().filter((frame) => frame !== page.mainFrame()));
  const read = await Promise.all([...open.map((page) => page.mainFrame()), ...framed].map(readFrame));
  const byOrigin = new Map<string, SessionStorageOf>();
  for (const stored of [...read, ...given]) {
    if (stored !== null && !byOrigin.has(stored.origin)) byOrigin.set(stored.origin, stored);
  }
  return [...byOrigin.values()].filter(({ entries }) => entries.length > 0);
}

/** Null for a frame that does not answer, or has no storage. */
async function readFrame(frame: Frame): Promise<SessionStorageOf | null> {
  if (!/^https?:/.test(frame.url())) return null;
  const reading = frame.evaluate(() => ({ origin: location.origin, entries: Object.entries({ ...sessionStorage }) }));
  return inTime(
    reading.catch(() => null),
    FRAME_TIMEOUT_MS,
  );
}
