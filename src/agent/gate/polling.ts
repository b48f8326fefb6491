import type { HeldRequest } from "../../browser/session/write-interceptor.ts";
import { toSent } from "./commit.ts";
import { isReplacing } from "./harmless.ts";
import type { Operation } from "./operation.ts";

const MIN_POLLS = 4;
const MIN_GAP_MS = 100;
/** A page that tries again what was stopped waits longer each time. One that polls does not. */
const MAX_GROWTH = 1.4;

interface Seen {
  readonly count: number;
  readonly lastMs: number;
  /** Null after the first. */
  readonly gapMs: number | null;
}

/** Recognises what a page sends again and again by itself, while the run does nothing. */
export class Polling {
  readonly #seen = new Map<string, Seen>();

  /** The run acts on the page: what comes from now on may come of that. */
  reset(): void {
    this.#seen.clear();
  }

  /** Whether the same has come so often, at equal intervals, that no action has caused it. `entered` is what the run has typed or chosen. */
  isPoll(request: HeldRequest, operation: Operation, entered: readonly string[]): boolean {
    if (isReplacing(request) || operation.values.some(({ value }) => entered.includes(value))) return false;
    const { kind, content } = toSent(request, operation);
    const key = `${kind} ${content}`;
    const now = performance.now();
    const before = this.#seen.get(key) ?? null;
    const gapMs = before === null ? null : now - before.lastMs;
    if (gapMs !== null && gapMs < MIN_GAP_MS) return false;
    const isRegular = before !== null && (before.gapMs === null || isAlike(before.gapMs, gapMs ?? 0));
    // After an irregular gap, this one and the one before it are the first two.
    const count = before === null ? 1 : isRegular ? before.count + 1 : 2;
    this.#seen.set(key, { count, lastMs: now, gapMs });
    return count >= MIN_POLLS;
  }
}

function isAlike(a: number, b: number): boolean {
  return Math.max(a, b) <= MAX_GROWTH * Math.min(a, b);
}
