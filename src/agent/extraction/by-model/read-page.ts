import { type Observation, type ObservedNode, walk } from "../../../browser/observation/observation.ts";
import { capturePage } from "../../grounding/captured-pages.ts";
import { type DayOrder, findDayOrder } from "../../grounding/dates.ts";
import { readText } from "../../grounding/page-text.ts";
import { readRecordSets } from "../read-record-sets.ts";
import type { RecordSet } from "../record-set.ts";

/** A table or a list that the model may refer to. */
export interface OfferedRecords {
  /** "r1", "r2", … */
  readonly id: string;
  readonly set: RecordSet;
  /** Columns by their ids: "c1", "c2", … */
  readonly columns: ReadonlyMap<string, string>;
}

/** A page as values are searched and checked on it: all of it, whatever part the model was shown. */
export interface ReadPage {
  readonly observation: Observation;
  /** Its text as the verifier will search it later. */
  readonly text: string;
  /** The text folded for finding quotes. */
  readonly folded: string;
  readonly offers: readonly OfferedRecords[];
  readonly sets: readonly RecordSet[];
  /** The text of a node, in lower case. */
  readonly says: (node: ObservedNode) => string;
  readonly byRef: ReadonlyMap<string, ObservedNode>;
  /** The order of day and month that its dates reveal; null if unknown. */
  readonly order: DayOrder | null;
}

const MAX_OFFERS = 12;
const MAX_COLUMNS = 16;
const DATE = /\d{1,2}[/-]\d{1,2}[/-][12]\d{3}/g;

export function readPage(observation: Observation): ReadPage {
  const { root, url, number } = observation;
  const sets = readRecordSets(root, url, number);
  const { text, folded } = capturePage(observation);
  const byRef = new Map<string, ObservedNode>();
  for (const { node } of walk(root)) if (node.ref !== null) byRef.set(node.ref, node);
  const order = findDayOrder(text.match(DATE) ?? []);
  const says = cacheTexts();
  return {
    observation,
    text,
    folded,
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

/** Cached, because many quotes are searched in the same nodes. */
function cacheTexts(): ReadPage["says"] {
  const known = new Map<ObservedNode, string>();
  return (node) => {
    const text = known.get(node) ?? readText(node).toLowerCase();
    known.set(node, text);
    return text;
  };
}

/** Prefers the main part of the page, then long lists; returns them in page order. */
function chooseOffers(sets: readonly RecordSet[]): RecordSet[] {
  const lists = sets.filter(isList);
  const best = lists
    .toSorted(
      (one, other) =>
        Number(one.region !== "main") - Number(other.region !== "main") || other.rows.length - one.rows.length,
    )
    .slice(0, MAX_OFFERS);
  return lists.filter((set) => best.includes(set));
}

function toOffer(set: RecordSet, index: number): OfferedRecords {
  const columns = new Map(set.columns.slice(0, MAX_COLUMNS).map((column, at) => [`c${at + 1}`, column] as const));
  return { id: `r${index + 1}`, set, columns };
}
