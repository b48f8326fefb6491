import { compare, isWithin, toPhrase } from "../../grounding/similarity.ts";
import type { RecordSet } from "../record-set.ts";
import { findField } from "./find-field.ts";

/** Nouns that any list may be meant by. */
const ANY =
  /^(?:|results?|search results?|items?|rows?|entr(?:y|ies)|records?|ones?|things?|elements?|lines?|hits?|options?)$/i;

export type Choice =
  | { readonly kind: "chosen"; readonly set: RecordSet }
  | { readonly kind: "unclear"; readonly sets: readonly RecordSet[] }
  | { readonly kind: "none" };

/** The list or table that a noun means; what stands in the main part of the page comes first. */
export function chooseSet(sets: readonly RecordSet[], noun: string, fields: readonly string[]): Choice {
  const lists = sets.filter(({ kind }) => kind !== "labelled");
  const main = lists.filter(({ region }) => region === "main");
  const scored = (main.length > 0 ? main : lists).map((set) => ({ set, score: scoreSet(set, noun, fields) }));
  const best = Math.max(0, ...scored.map(({ score }) => score));
  const chosen = scored.filter(({ score }) => score === best && score > 0).map(({ set }) => set);
  const [first] = chosen;
  if (first === undefined) return { kind: "none" };
  return chosen.length === 1 ? { kind: "chosen", set: first } : { kind: "unclear", sets: chosen };
}

/** 0 when nothing speaks for it. */
function scoreSet(set: RecordSet, noun: string, fields: readonly string[]): number {
  const [row] = set.rows;
  const known = row === undefined ? 0 : fields.filter((field) => findField(row, set, field) !== null).length;
  const nounScore = scoreNoun(set, noun);
  if (fields.length > 0 && known === 0 && row !== undefined) return 0;
  if (nounScore === 0 && known < 2 && set.rows.length < 2) return 0;
  return nounScore * 2 + (fields.length === 0 ? 0 : known / fields.length) + (set.rows.length > 1 ? 0.25 : 0);
}

function scoreNoun(set: RecordSet, noun: string): number {
  if (ANY.test(noun)) return 0.5;
  const wanted = toPhrase(noun);
  const [name, title] = [toPhrase(set.name), toPhrase(set.titleColumn ?? "")];
  const isNamed = isWithin(wanted, name) || isWithin(wanted, title);
  return Math.max(isNamed ? 1 : 0, compare(wanted, name), compare(wanted, title));
}
