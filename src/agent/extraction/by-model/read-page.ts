import { type Observation, type ObservedNode, walk } from "../../../browser/observation/observation.ts";
import { capturePage } from "../../grounding/captured-pages.ts";
import { type DayOrder, findDayOrder } from "../../grounding/dates.ts";
import { readText } from "../../grounding/page-text.ts";
import { foldForQuotes } from "../../grounding/quotes.ts";
import { readRecordSets } from "../read-record-sets.ts";
import type { RecordSet } from "../record-set.ts";

/** A table or a list that the model may point at. */
export interface OfferedRecords {
  /** "r1", "r2", … */
  readonly id: string;
  readonly set: RecordSet;
  /** Columns by their ids: "c1", "c2", … */
  readonly columns: ReadonlyMap<string, string>;
}

/** A page as values are looked for and checked on it: the whole of it, whatever of it was shown to the model. */
export interface ReadPage {
  readonly observation: Observation;
  /** What it shows, in the words that a claim is held against later. */
  readonly text: string;
  /** The same, as quotes are looked for in it. */
  readonly folded: string;
  readonly offers: readonly OfferedRecords[];
  readonly sets: readonly RecordSet[];
  /** What a part of it says, in lower case. */
  readonly says: (node: ObservedNode) => string;
  readonly byRef: ReadonlyMap<string, ObservedNode>;
  /** How it writes days, where its dates tell. */
  readonly order: DayOrder | null;
}

const MAX_OFFERS = 12;
const MAX_COLUMNS = 16;
const DATE = /\d{1,2}[/-]\d{1,2}[/-][12]\d{3}/g;

export function readPage(observation: Observation): ReadPage {
  const { root, url } = observation;
  const sets = readRecordSets(root, url);
  const { text } = capturePage(observation);
  const byRef = new Map<string, ObservedNode>();
  for (const { node } of walk(root)) if (node.ref !== null) byRef.set(node.ref, node);
  const order = findDayOrder(text.match(DATE) ?? []);
  const says = cacheTexts();
  return {
    observation,
    text,
    folded: foldForQuotes(text),
    offers: chooseOffers(sets).map(toOffer),
    sets,
    says,
    byRef,
    order,
  };
}

export function isList({ kind, rows }: RecordSet): boolean {
  return kind !== "labelled" || rows.length > 1;
}

/** Many quotes are looked for in the same parts. */
function cacheTexts(): ReadPage["says"] {
  const known = new Map<ObservedNode, string>();
  return (node) => {
    const text = known.get(node) ?? readText(node).toLowerCase();
    known.set(node, text);
    return text;
  };
}

/** The main part of the page before what is around it, and long ones before short ones; told in the order of the page. */
function chooseOffers(sets: readonly RecordSet[]): RecordSet[] {
  const lists = sets.filter(isList);
  const best = lists
    .toSorted(
      (one, other) =>
        Number(one.place !== "main") - Number(other.place !== "main") || other.rows.length - one.rows.length,
    )
    .slice(0, MAX_OFFERS);
  return lists.filter((set) => best.includes(set));
}

function toOffer(set: RecordSet, index: number): OfferedRecords {
  const columns = new Map(set.columns.slice(0, MAX_COLUMNS).map((column, at) => [`c${at + 1}`, column] as const));
  return { id: `r${index + 1}`, set, columns };
}
