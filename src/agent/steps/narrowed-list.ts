import { labelOf, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { containsWords, fold, stemNoun } from "../grounding/names.ts";
import { readText } from "../grounding/page-text.ts";
import { insideOf, isSearchField, type Place, ROW_ROLES } from "./areas.ts";
import { shorten } from "./names.ts";
import type { StepsRun } from "./run.ts";

/** What the page shows a list by: a tab, a filter, a search. */
interface Narrowing {
  /** What it narrows the list to: the name of the tab, the option, the text that was searched for. */
  readonly to: string;
  readonly about: string;
}

/** "All", "Any status", "–": nothing is left out. */
const EVERYTHING =
  /^(?:all|any|every(?:thing)?|both|none|no filter|choose|select|please|show all|[-–—.…]+)(?![\p{L}])|^$/iu;
/** Choices of how a list is shown, and not of what is in it. */
const DISPLAY =
  /\b(?:sort|order(?:ed)? by|per page|rows|page size|layout|view|display|theme|language|currency|go to page|quantity|qty)\b/i;
const FILTER = /\b(?:filters?|refine|narrow|facets?)\b/i;
const LEAVES_OUT = /\bonly\b|^(?:hide|exclude|without)\b/i;
const COUNT = /\s*\(?\d+\)?$/;

/**
 * The first tab, filter or search that narrows down what a list shows, and that neither the steps nor the URL they were given
 * have set. Null when there is none. How many there are cannot be told from what is behind a filter.
 */
export function findNarrowing(rows: readonly ObservedNode[], noun: string, run: StepsRun): Narrowing | null {
  const places = [...walk(run.observation.root)];
  const inRows = new Set(rows.flatMap((row) => [...walk(row)].map(({ node }) => node)));
  const outside = places.filter(
    ({ node, ancestors }) =>
      !inRows.has(node) && !ancestors.some(({ role }) => ROW_ROLES.has(role) && role !== "option"),
  );
  const isMeant = ({ to }: Narrowing) => isNamed(to, noun) || run.hasChosen(to);
  const found = outside.map((place) => readNarrowing(place, places, rows));
  return found.find((one) => one !== null && !isMeant(one)) ?? null;
}

/** The words of the request say it: "open orders" under the tab "Open", "orders" under the tab "Orders". */
function isNamed(to: string, noun: string): boolean {
  const [said, wanted] = [stemNoun(to), stemNoun(noun)];
  return said === "" || containsWords(wanted, said) || [`my ${wanted}`, `your ${wanted}`].includes(said);
}

function readNarrowing(place: Place, places: readonly Place[], rows: readonly ObservedNode[]): Narrowing | null {
  const { role, states, field } = place.node;
  if (role === "tab") return states.selected === true ? readTab(place, places, rows) : null;
  if (field?.type === "select") return readSelect(place, rows);
  if (states.checked === true || states.pressed === true) return readChecked(place, places, rows);
  const value = field?.isSecret === true ? "" : (place.node.value ?? "").trim();
  const isFilter = isSearchField(place.node, place.ancestors) || FILTER.test(labelOf(place.node));
  return value !== "" && field !== null && isFilter ? { to: value, about: `the search for "${shorten(value)}"` } : null;
}

/** A tab, where its panel has the list; without panels, where the list comes after it. */
function readTab({ node }: Place, places: readonly Place[], rows: readonly ObservedNode[]): Narrowing | null {
  const to = labelOf(node).trim().replace(COUNT, "");
  const panels = places.filter(({ node: panel }) => panel.role === "tabpanel").map(({ node: panel }) => panel);
  const own = panels.filter(({ name }) => name === "" || fold(name) === fold(labelOf(node)));
  const [first] = rows;
  const isInside = (panel: ObservedNode) => rows.length === 0 || [...walk(panel)].some((inner) => inner.node === first);
  const at = (one: ObservedNode | undefined) => places.findIndex(({ node: each }) => each === one);
  const governs = panels.length > 0 ? own.some(isInside) : rows.length === 0 || at(node) < at(first);
  return EVERYTHING.test(to) || !governs ? null : { to, about: `the tab "${shorten(to)}"` };
}

function readSelect({ node, ancestors }: Place, rows: readonly ObservedNode[]): Narrowing | null {
  const to = (node.value ?? "").trim();
  const options = [...walk(node)]
    .filter(({ node: inner }) => inner.role === "option")
    .map(({ node: inner }) => readText(inner));
  if (EVERYTHING.test(to) || DISPLAY.test(labelOf(node)) || options.every((option) => /^\d+$/.test(option)))
    return null;
  const isDefault = options[0] === to && !options.some((option) => EVERYTHING.test(option));
  const isSorting = options.some((option) =>
    /\b(?:low to high|high to low|newest|oldest|a[ -–]+z|relevance)\b/i.test(option),
  );
  if (isSorting || (isDefault && !isInFilter(ancestors) && !isInAll(to, rows))) return null;
  return { to, about: `"${shorten(labelOf(node) || "the list")}", which is set to "${shorten(to)}"` };
}

/** A box, a radio button or a toggle: in a filter, beside "All", with "only" in its name, or true of each row. */
function readChecked(
  { node, ancestors }: Place,
  places: readonly Place[],
  rows: readonly ObservedNode[],
): Narrowing | null {
  const to = labelOf(node).trim().replace(COUNT, "");
  const group = ancestors.at(-1);
  if (EVERYTHING.test(to) || DISPLAY.test(`${group?.name ?? ""} ${to}`)) return null;
  const isBesideAll =
    node.role !== "checkbox" &&
    group !== undefined &&
    insideOf(group, places).some(
      ({ node: other }) => other.role === node.role && /^(?:all|any)\b/i.test(labelOf(other)),
    );
  const isFilter = LEAVES_OUT.test(to) || isBesideAll || isInFilter(ancestors) || isInAll(to, rows);
  return isFilter ? { to, about: `"${shorten(to)}", which is selected` } : null;
}

/** In a search form, or in a part of the page that is called "Filters". */
function isInFilter(ancestors: readonly ObservedNode[]): boolean {
  return ancestors.some(({ role, name, children }) => {
    if (role === "search") return true;
    if (role === "document" || role === "main") return false;
    return FILTER.test(name) || children.some((child) => child.role === "heading" && FILTER.test(readText(child)));
  });
}

/** What is true of each row may be what they were chosen by. */
function isInAll(text: string, rows: readonly ObservedNode[]): boolean {
  return rows.length > 0 && rows.every((row) => containsWords(fold(readText(row)), fold(text)));
}
