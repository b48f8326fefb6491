import { labelOf, type Observation, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { readRecordSets } from "../extraction/read-record-sets.ts";
import { containsWords, fold } from "../grounding/names.ts";
import { readText } from "../grounding/page-text.ts";
import { chooseList } from "./lists.ts";
import { pickNth } from "./names.ts";
import type { Within } from "./step.ts";

/** A node of the page with its ancestors, the nearest last. */
export interface Place {
  readonly node: ObservedNode;
  readonly ancestors: readonly ObservedNode[];
}

export function insideOf(node: ObservedNode, places: readonly Place[]): Place[] {
  return places.filter(({ ancestors, node: own }) => own === node || ancestors.includes(node));
}

export function isDialog({ role }: ObservedNode): boolean {
  return role === "dialog" || role === "alertdialog";
}

/** The part of the page that `within` names; empty when there is none, or when it is not clear which. */
export function findArea(
  observation: Observation,
  places: readonly Place[],
  { row, section, dialog, form }: Within,
): Place[] {
  const inside = (nodes: readonly ObservedNode[]) => nodes.flatMap((node) => insideOf(node, places));
  if (typeof row === "number") {
    const choice = chooseList([observation], { noun: "" });
    const found = choice.kind === "none" ? undefined : pickNth(choice.merged.set.rows, row);
    return found === undefined ? [] : insideOf(found.node, places);
  }
  if (row !== undefined) {
    const rows = findRows(observation, row).slice(0, MAX_ROWS);
    // "Buy next to Mug" where each product has a heading and no row.
    return rows.length > 0 ? inside(rows) : findSection(places, row);
  }
  if (section !== undefined) return findSection(places, section);
  if (form !== undefined) return inside(findForms(places, form));
  const isMeant = (node: ObservedNode) =>
    typeof dialog !== "string" || containsWords(fold(readText(node)), fold(dialog));
  const dialogs = places.map(({ node }) => node).filter(isDialog);
  return inside(dialogs.filter(isMeant));
}

const MAX_ROWS = 20;
export const ROW_ROLES = new Set(["row", "listitem", "article", "treeitem", "option"]);

/** The rows and entries that have a cell, a link or a heading of just this text. */
export function findRows({ root, url }: Pick<Observation, "root" | "url">, name: string): ObservedNode[] {
  const rows = new Set<ObservedNode>();
  for (const { node } of walk(root)) if (ROW_ROLES.has(node.role)) rows.add(node);
  for (const set of readRecordSets(root, url))
    if (set.kind !== "labelled") for (const row of set.rows) rows.add(row.node);
  const wanted = fold(name);
  const innermost = (found: ObservedNode[]) =>
    found.filter((row) => !found.some((other) => other !== row && isAncestor(row, other)));
  return innermost([...rows].filter((row) => [...walk(row)].some(({ node }) => isText(node, wanted))));
}

function isText(node: ObservedNode, wanted: string): boolean {
  return fold(node.name) === wanted || fold(readText(node)) === wanted;
}

function isAncestor(node: ObservedNode, inner: ObservedNode): boolean {
  return walk(node).some(({ node: own }) => own === inner);
}

const REGIONS = new Set(
  "region group form dialog tabpanel navigation complementary table grid list menu toolbar article main radiogroup".split(
    " ",
  ),
);

/** A region of that name, or what stands below a heading up to the next heading of its level. */
function findSection(places: readonly Place[], name: string): Place[] {
  const wanted = fold(name);
  const regions = places.filter(({ node }) => REGIONS.has(node.role) && fold(node.name) === wanted);
  if (regions.length > 0) return regions.flatMap(({ node }) => insideOf(node, places));
  const at = places.findIndex(({ node }) => node.role === "heading" && fold(readText(node)) === wanted);
  const heading = places[at];
  if (heading === undefined) return [];
  const level = heading.node.states.level ?? 2;
  const end = places.findIndex(
    ({ node }, index) => index > at && node.role === "heading" && (node.states.level ?? 2) <= level,
  );
  return places.slice(at, end === -1 ? undefined : end);
}

/** A form of that name, or the form around a field or button of that name. */
function findForms(places: readonly Place[], name: string): ObservedNode[] {
  const wanted = fold(name);
  const forms = places.filter(({ node }) => node.role === "form" && fold(node.name) === wanted).map(({ node }) => node);
  if (forms.length > 0) return forms;
  const around = places
    .filter(({ node }) => node.ref !== null && fold(labelOf(node)) === wanted)
    .flatMap(({ ancestors }) => ancestors.findLast(({ role }) => role === "form") ?? []);
  return [...new Set(around)];
}

export const FILLABLE = new Set(["textbox", "searchbox", "combobox", "spinbutton", "slider"]);
const SEARCHING = /\b(?:search|find|query|look ?up)\b/i;

/** A field for searching, and not the form around it. */
export function isSearchField({ role, name, field }: ObservedNode, ancestors: readonly ObservedNode[]): boolean {
  if (role === "searchbox" || field?.type === "search") return true;
  if (!FILLABLE.has(role)) return false;
  if (ancestors.some((ancestor) => ancestor.role === "search")) return true;
  return (
    [name, field?.placeholder ?? ""].some((text) => SEARCHING.test(text)) ||
    /^(?:q|query|search|s)$/i.test(field?.key ?? "")
  );
}
