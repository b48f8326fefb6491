import { labelOf, type Observation, walk } from "../../browser/observation/observation.ts";
import type { MergedPages } from "./merged-pages.ts";
import { findNextPage } from "./pagination.ts";
import { identify, type RecordSet } from "./record-set.ts";

/** The list that is gathered, on these pages together; null when they do not show it. */
type ChooseList = (pages: readonly Observation[]) => MergedPages | null;

/** A call of the action `scroll`. */
interface ScrollCall {
  readonly action: "scroll";
  readonly input: Readonly<Record<string, unknown>>;
}

/** What to do next: to scroll, to wait and look again, or null when there is nothing left to do. */
type NextMove = ScrollCall | "wait" | null;

const MAX_ROUNDS = 40;
/** Fewer rows are tall ones: a whole screen further, none of them might be visible any more. */
const FEW_ROWS = 6;

/**
 * Gathers a list that has more rows than the page holds at once, or that loads more while it is scrolled. Says after each
 * observation how to go on, and keeps the observations that show its rows.
 */
export class ListGathering {
  readonly #choose: ChooseList;
  #pages: Observation[] = [];
  #rounds = 0;
  /** How often in a row nothing new appeared. */
  #still = 0;
  #problem: string | null = null;

  constructor(choose: ChooseList) {
    this.#choose = choose;
  }

  /** The observations that together show the list. */
  get pages(): readonly Observation[] {
    return this.#pages;
  }

  /** Why the list was not gathered as a whole; null when nothing speaks against it. */
  get problem(): string | null {
    return this.#problem ?? this.#choose(this.#pages)?.unseen ?? null;
  }

  add(observation: Observation): NextMove {
    const shown = this.#choose([observation])?.set ?? null;
    const isFirst = this.#pages.length === 0;
    if (shown === null || (isFirst && !mayGoOn(shown, observation))) return this.#end(observation);
    this.#rounds += 1;
    this.#problem = findExcess(shown, this.#rounds);
    if (this.#problem !== null) return this.#end(observation);
    if (isFirst && shown.window?.isPartial === true && !shown.window.isAtTop) return scrollList(shown, "up");
    const before = this.#countRows();
    if (!this.#keep(shown, observation)) return null;
    const hasGrown = this.#countRows() > before;
    this.#still = hasGrown ? 0 : this.#still + 1;
    // The list itself says that this is all.
    if (shown.window?.total != null && this.problem === null) return null;
    return this.#goOn(shown);
  }

  /** Scrolls on; waits once for a list that may still be loading, and ends when nothing new appears then either. */
  #goOn(shown: RecordSet): NextMove {
    if (this.#still === 0) return scrollList(shown, "down");
    const canMove = shown.window?.isAtEnd === false;
    if (this.#still === 1) return canMove ? scrollList(shown, "down") : "wait";
    return this.#still === 2 && canMove ? "wait" : null;
  }

  #countRows(): number {
    return this.#choose(this.#pages)?.set.rows.length ?? 0;
  }

  #end(observation: Observation): null {
    if (this.#pages.length === 0) this.#pages = [observation];
    return null;
  }

  /** False when the page took rows away without a sign that it holds only some of them. */
  #keep(shown: RecordSet, observation: Observation): boolean {
    const earlier = this.#pages.at(-1);
    const known = earlier === undefined ? undefined : this.#choose([earlier])?.set;
    if (known === undefined || [shown, known].some(({ window }) => window?.isPartial === true)) {
      this.#pages = [...this.#pages, observation];
      return true;
    }
    const keys = new Set(shown.rows.map((row) => identify(row, shown)));
    if (!known.rows.every((row) => keys.has(identify(row, known)))) {
      this.#problem = "The page removes rows while it is scrolled, so the whole list is never there at once.";
      return false;
    }
    this.#pages = [...this.#pages.slice(0, -1), observation];
    return true;
  }
}

/** Why a list is too long to be read; null when it is not, as far as is known. */
function findExcess({ window, rows }: RecordSet, rounds: number): string | null {
  if (window?.isPartial === true && (window.total ?? 0) > rows.length * MAX_ROUNDS) {
    return `The list says that it has ${window.total} rows and shows ${rows.length} at a time, which is too many to read.`;
  }
  return rounds > MAX_ROUNDS ? `The list still went on after ${MAX_ROUNDS} screens.` : null;
}

/** A list that scrolls may load more; one with a next page is read page by page. */
function mayGoOn({ window }: RecordSet, { root, url }: Observation): boolean {
  if (window === undefined) return false;
  return window.isPartial || findNextPage(root, url) === null;
}

const ALL_THE_WAY = 20;

/** Scrolls the area that the list is in, by a target in one of its rows. */
function scrollList({ rows, window }: RecordSet, direction: "up" | "down"): ScrollCall {
  const isByWindow = window?.isPartial === true && direction === "down";
  const screens = isByWindow ? (rows.length < FEW_ROWS ? 0.5 : 1) : ALL_THE_WAY;
  const handle = window?.area === "pane" ? findHandle(rows) : {};
  return { action: "scroll", input: { direction, screens, ...handle } };
}

function findHandle(rows: RecordSet["rows"]): { ref?: string; label?: string } {
  for (const row of rows.toReversed()) {
    for (const { node } of walk(row.node)) if (node.ref !== null) return { ref: node.ref, label: labelOf(node) };
  }
  return {};
}
