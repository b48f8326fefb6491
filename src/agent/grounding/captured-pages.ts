import {
  EMPTY_NODE,
  type Observation,
  type ObservedNode,
  textOf,
  walk,
} from "../../browser/observation/observation.ts";
import type { FieldPlace } from "../../browser/observation/twin-fields.ts";
import { collapseWhitespace, dropUnseen, hasUnseen } from "../../browser/observation/visible-text.ts";
import { mayAddressMachines, withoutMachineText } from "./machine-text.ts";
import { findFieldValues, readText } from "./page-text.ts";
import { foldText } from "./quotes.ts";

/** What one page showed at one moment: all that a claim can rest on. */
export interface CapturedPage {
  readonly url: string;
  readonly observationNumber: number;
  /** Title, text and field values, with runs of whitespace collapsed. */
  readonly text: string;
  /** The same for searching quotes, made when it is first needed. */
  readonly folded: string;
  /** URLs of its links. */
  readonly links: ReadonlySet<string>;
  readonly root: ObservedNode;
}

const MAX_CHARACTERS = 20_000_000;
/** Between parts that are not next to each other on the page: no quote may span it. */
const BOUNDARY = " \u001f ";

/**
 * The pages that the run has seen, recorded by the loop and not by the planner: claims are checked against them. When a page
 * shows another state later, both states are kept.
 */
export class CapturedPages {
  readonly #pages = new Map<string, CapturedPage>();
  /** By the number of the observation: several may show the same state. */
  readonly #keys = new Map<number, string>();
  #characters = 0;

  add(observation: Observation): void {
    const key = `${observation.url} ${observation.fingerprint} ${placeOf(observation)}`;
    this.#keys.set(observation.number, key);
    if (this.#pages.has(key)) return;
    const page = capturePage(observation);
    this.#pages.set(key, page);
    this.#characters += page.text.length;
    this.#dropOldest();
  }

  list(): CapturedPage[] {
    return [...this.#pages.values()];
  }

  /** What an observation showed; null when it is not kept. */
  find(observationNumber: number): CapturedPage | null {
    return this.#pages.get(this.#keys.get(observationNumber) ?? "") ?? null;
  }

  /** The states of a page that the run saw between two observations, oldest first. */
  statesOf(url: string, { after = 0, until }: { readonly after?: number; readonly until: number }): CapturedPage[] {
    const numbers = [...this.#keys.keys()].filter((number) => number > after && number <= until);
    const pages = numbers.toSorted((a, b) => a - b).flatMap((number) => this.find(number) ?? []);
    return pages.filter((page) => isSamePage(page.url, url));
  }

  /** What a page showed last before a step; where that is not known, what it showed first. */
  before(url: string, seen: { readonly observationNumber: number } | null): CapturedPage | undefined {
    return seen === null
      ? this.list().find((page) => isSamePage(page.url, url))
      : this.statesOf(url, { until: seen.observationNumber }).at(-1);
  }

  /** The value of the field when the page was first seen; null when there was no such field. */
  firstValueOf(url: string, label: string, place: FieldPlace | null = null): string | null {
    const isFirst = (page: CapturedPage) => isSamePage(page.url, url) && findFieldValues(page, label, place).length > 0;
    const first = this.list().find(isFirst);
    return first === undefined ? null : (findFieldValues(first, label, place)[0] ?? null);
  }

  /** Whether any state of this page showed the text. */
  showed(url: string, text: string): boolean {
    return this.list().some((page) => isSamePage(page.url, url) && contains(page.text, text));
  }

  #dropOldest(): void {
    for (const [key, { text }] of this.#pages) {
      if (this.#characters <= MAX_CHARACTERS || this.#pages.size === 1) return;
      this.#pages.delete(key);
      this.#characters -= text.length;
    }
  }
}

/** How far lists are scrolled that hold only some of their rows: at the end of one, nothing else may have changed. */
function placeOf({ root }: Observation): string {
  const sparse = (root.extents ?? []).filter(({ isSparse }) => isSparse);
  return sparse.map(({ above, below }) => `${above}/${below}`).join();
}

export function capturePage({
  number,
  url,
  root,
  title,
}: Pick<Observation, "number" | "url" | "root" | "title">): CapturedPage {
  const links = new Set<string>();
  const values: string[] = [];
  for (const { node } of walk(root)) {
    if (node.url !== null) links.add(node.url);
    if (node.value !== null && node.field?.isSecret !== true) values.push(node.value);
  }
  const text = collapseWhitespace([title, textOf(root), readText(root), ...values].join(BOUNDARY));
  let folded: string | null = null;
  return {
    url,
    observationNumber: number,
    text,
    get folded() {
      folded ??= foldText(text);
      return folded;
    },
    links,
    root,
  };
}

/** The page without text that addresses machines, which is no source; the same page when it has none. */
export function withoutMachineTextOf(page: CapturedPage): CapturedPage {
  if (!mayAddressMachines(page.text)) return page;
  const root = withoutMachineText(page.root);
  if (root === page.root) return page;
  const [title = ""] = page.text.split(BOUNDARY, 1);
  return capturePage({ number: page.observationNumber, url: page.url, root: root ?? EMPTY_NODE, title });
}

export function contains(text: string, part: string): boolean {
  const wanted = toSearched(text, part);
  return wanted !== "" && text.includes(wanted);
}

export function countOccurrences(text: string, part: string): number {
  const wanted = toSearched(text, part);
  return wanted === "" ? 0 : text.split(wanted).length - 1;
}

/** Copied text may have invisible characters that the page does not have. */
function toSearched(text: string, part: string): string {
  const wanted = collapseWhitespace(part);
  if (!hasUnseen(wanted) || text.includes(wanted)) return wanted;
  return collapseWhitespace(dropUnseen(wanted)) || wanted;
}

/** Whether two URLs are the same page: a fragment only says where to scroll to, unless it is a path as "#/posts" is, and not "#/". */
export function isSamePage(one: string, other: string): boolean {
  return one === other || withoutFragment(one) === withoutFragment(other);
}

/** Whether two URLs are of the same document, whatever it shows: no request has a fragment. */
export function isSameDocument(one: string, other: string): boolean {
  return one.split("#")[0] === other.split("#")[0];
}

function withoutFragment(url: string): string {
  return url.replace(/#(?:!?\/$|(?!!?\/).*$)/s, "");
}
