import { labelOf, type Observation, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { collapseWhitespace } from "../../browser/observation/visible-text.ts";
import { findNextPage } from "../extraction/pagination.ts";
import { hasNegation } from "../grounding/english-words.ts";
import { containsWords, fold } from "../grounding/names.ts";
import { isCheckable, readText } from "../grounding/page-text.ts";
import { FILLABLE, findArea, insideOf, isDialog, isSearchField, type Place, ROW_ROLES } from "./areas.ts";
import { capitalize, describePosition, listTexts, pickNth, shorten } from "./names.ts";
import { linesOf } from "./sentences.ts";
import type { Target, Within } from "./step.ts";

/** What is going to be done with the element. It narrows down what can be meant. */
export type Purpose = "click" | "fill" | "select" | "check" | "hover" | "upload" | "read";

export type Finding =
  | { readonly kind: "found"; readonly node: ObservedNode }
  | { readonly kind: "none"; readonly reason: string }
  | { readonly kind: "several"; readonly reason: string };

/**
 * Finds the element that a target means. Levels of names are tried in order: exact, then without regard to case, then
 * contained in the name, then placeholder, title or key. The first level with a match decides: one match is the element,
 * several are refused. There are no scores.
 */
export function findTarget(
  observation: Observation,
  target: Target,
  purpose: Purpose,
  lastField: ObservedNode | null = null,
): Finding {
  const special = findSpecial(observation, target, lastField);
  if (special !== null) return special;
  const places = [...walk(observation.root)];
  const area = target.within === undefined ? places : findArea(observation, places, target.within);
  if (area.length === 0) return { kind: "none", reason: `The page has no ${describeWithin(target.within)}.` };
  // What an open dialog covers is meant only if the dialog has nothing of that name.
  const dialog = target.within === undefined ? places.findLast(({ node }) => isDialog(node)) : undefined;
  const inDialog = dialog === undefined ? null : findIn(insideOf(dialog.node, area), target, purpose);
  return inDialog === null || inDialog.kind === "none" ? findIn(area, target, purpose) : inDialog;
}

function findSpecial(observation: Observation, { role, name }: Target, lastField: ObservedNode | null): Finding | null {
  if (role === "next page") {
    const next = findNextPage(observation.root, observation.url);
    return next === null
      ? { kind: "none", reason: "The page has no link to a next page." }
      : { kind: "found", node: next };
  }
  if (role === "submit button" && name === undefined) return findSubmit(observation, lastField);
  return null;
}

function findIn(area: readonly Place[], target: Target, purpose: Purpose): Finding {
  const fitting = area.filter(({ node }) => node.ref !== null && (FITS[purpose]?.(node) ?? true));
  const { role = "" } = target;
  const hasRole = ROLES[role] ?? (({ node }: Place) => node.role === role);
  const ofRole = role === "" ? fitting : fitting.filter(hasRole);
  if (target.name === undefined) return choose(narrowUnnamed(ofRole), target, area);
  const isPlaced = target.within !== undefined || target.nth !== undefined;
  const found = findByName(ofRole, target.name, purpose, isPlaced);
  if (found.length > 0 || target.role === undefined) return choose(found, target, area);
  // "Add link" may be the whole name; and people call links buttons, and the other way round.
  const whole = findByName(fitting, `${target.name} ${target.role}`, purpose, isPlaced, 2);
  return choose(whole.length > 0 ? whole : findByName(fitting, target.name, purpose, isPlaced), target, area);
}

function choose(places: readonly Place[], target: Target, area: readonly Place[]): Finding {
  const nodes = places.map(({ node }) => node);
  const { nth } = target;
  if (nth !== undefined && nodes.length > 0) {
    const node = pickNth(nodes, nth);
    const reason = `There are only ${nodes.length} of ${describeTarget(target)} on the page.`;
    return node === undefined ? { kind: "none", reason } : { kind: "found", node };
  }
  const [first, ...others] = nodes;
  if (first === undefined) return { kind: "none", reason: explainNone(target, area) };
  if (others.length === 0) return { kind: "found", node: first };
  const names = nodes.map((node) => describeNode(node));
  const isTold = new Set(names).size === names.length;
  const listed = listTexts(isTold ? names : places.map((place) => describePlace(place, area)));
  return { kind: "several", reason: `${capitalize(describeTarget(target))} could be any of: ${listed}. ${ADVICE}` };
}

/** With what tells it from others of its name: the row it is in, or the heading above it. */
function describePlace({ node, ancestors }: Place, area: readonly Place[]): string {
  const name = describeNode(node);
  const row = ancestors.findLast(({ role }) => ROW_ROLES.has(role));
  const said = row === undefined ? [] : linesOf(row).filter((line) => line !== labelOf(node) && /\p{L}/u.test(line));
  if (said[0] !== undefined) return `${name} in the row "${shorten(said[0], 50)}"`;
  const at = area.findIndex((place) => place.node === node);
  const heading = area.slice(0, at).findLast((place) => place.node.role === "heading")?.node;
  return heading === undefined ? name : `${name} under "${shorten(readText(heading), 50)}"`;
}

/** With its place if the page has several elements of its name. */
export function describeAmongTwins(node: ObservedNode, { root }: Observation): string {
  const places = [...walk(root)];
  const twins = places.filter(({ node: own }) => own.role === node.role && labelOf(own) === labelOf(node));
  const place = twins.find(({ node: own }) => own.ref === node.ref);
  return place === undefined || twins.length < 2 ? describeNode(node) : describePlace(place, places);
}

const ADVICE =
  'Say which: "the second …", "… in the row of …", "… in the … section", or the full name in quotation marks.';

/** Names that share a word with what was looked for come first. */
function explainNone(target: Target, area: readonly Place[]): string {
  const words = (target.name ?? "")
    .toLowerCase()
    .split(/\W+/)
    .filter((word) => word.length > 2);
  const named = area.filter(({ node }) => node.ref !== null && labelOf(node) !== "").map(({ node }) => node);
  const near = named.filter((node) => words.some((word) => labelOf(node).toLowerCase().includes(word)));
  const hint = near.length === 0 ? "" : ` Near it are: ${listTexts([...new Set(near.map(describeNode))])}.`;
  return `The page has no ${describeTarget(target)}.${hint}`;
}

export function describeNode(node: ObservedNode): string {
  const name = collapseWhitespace(labelOf(node) || node.field?.placeholder || "");
  return name === ""
    ? `a ${node.role} without a name`
    : `the ${node.role === "generic" ? "element" : node.role} "${shorten(name)}"`;
}

export function describeTarget({ role, name, nth, within }: Target): string {
  const noun = role ?? (name === undefined ? "element" : "");
  const named = [noun, name === undefined ? "" : `"${shorten(name)}"`].filter(Boolean).join(" ");
  const place = within === undefined ? "" : ` in the ${describeWithin(within)}`;
  const position = nth === undefined ? "" : `${describePosition(nth)} `;
  return `${position}${named}${place}`;
}

function describeWithin(within: Within | undefined): string {
  const [kind = "", name = ""] = Object.entries(within ?? {})[0] ?? [];
  if (typeof name === "number") return `${describePosition(name)} ${kind}`;
  return typeof name === "string" ? `${kind} "${shorten(name)}"` : kind;
}

const CLICKABLE = new Set(
  "link button tab menuitem menuitemcheckbox menuitemradio option treeitem checkbox radio switch".split(" "),
);
const LISTS = new Set(["combobox", "listbox", "radiogroup"]);

const isList = ({ role, field }: ObservedNode) => LISTS.has(role) || field?.type === "select";

/** What can be filled in, checked and so on. What can be clicked is up to the page. */
const FITS: Partial<Record<Purpose, (node: ObservedNode) => boolean>> = {
  fill: (node) => FILLABLE.has(node.role) || (node.field !== null && !isCheckable(node) && node.role !== "button"),
  check: (node) => isCheckable(node) || node.states.pressed !== undefined,
  select: (node) =>
    isList(node) ||
    /^(?:textbox|searchbox)$/.test(node.role) ||
    (node.role === "button" && node.states.expanded !== undefined),
  upload: ({ role, field }) => field?.type === "file" || role === "button",
};

/** Roles that pages do not have by that name. */
const ROLES: Readonly<Record<string, (place: Place) => boolean>> = {
  field: ({ node }) => FILLABLE.has(node.role) || node.field !== null,
  "text area": ({ node }) => node.field?.type === "textarea" || node.field?.type === "contenteditable",
  "search field": ({ node, ancestors }) => isSearchField(node, ancestors),
  list: ({ node }) => isList(node),
  "column header": ({ node, ancestors }) => [node, ...ancestors].some(({ role }) => role === "columnheader"),
  "menu item": ({ node }) => node.role.startsWith("menuitem"),
  image: ({ node }) => node.role === "img" || node.role === "image",
  /** What leads to it, whatever that is. */
  page: () => true,
};

/** What has the name at the first level that has any. */
function findByName(
  places: readonly Place[],
  name: string,
  purpose: Purpose,
  isPlaced: boolean,
  most = LEVELS.length,
): Place[] {
  // "Click Delete" must not delete the account: without a place, what cannot be undone needs its whole name.
  const isWhole = !isPlaced && purpose === "click" && IRREVERSIBLE.test(name);
  for (const isNamed of LEVELS.slice(0, isWhole ? 2 : most)) {
    const found = withoutDoubles(places.filter(({ node }) => isNamed(node, name)));
    if (found.length > 0) return prefer(found, purpose);
  }
  return [];
}

const IRREVERSIBLE = /^(?:delete|remove|cancel|unsubscribe|deactivate|pay|buy)$/i;

const LEVELS: readonly ((node: ObservedNode, name: string) => boolean)[] = [
  (node, name) => nameOf(node) === collapseWhitespace(name),
  (node, name) => fold(nameOf(node)) === fold(name),
  (node, name) => containsWords(fold(nameOf(node)), fold(name)) && hasNegation(nameOf(node)) === hasNegation(name),
  ({ field }, name) => [field?.placeholder, field?.key].some((text) => text != null && fold(text) === fold(name)),
  ({ field }, name) => containsWords(fold(field?.placeholder ?? ""), fold(name)),
];

function nameOf(node: ObservedNode): string {
  return collapseWhitespace(labelOf(node) || (node.role === "generic" ? readText(node) : ""));
}

/** The parts of a link have its name too; and two links of one name to one page are one thing. */
function withoutDoubles(places: readonly Place[]): Place[] {
  const nodes = new Set(places.map(({ node }) => node));
  const inner = places.filter(({ node, ancestors }) => {
    const around = ancestors.findLast((ancestor) => nodes.has(ancestor));
    return around === undefined || (around.role === "generic" && node.role !== "generic");
  });
  const kept = inner.filter(
    ({ node }) => node.role !== "generic" || !inner.some((other) => other.ancestors.includes(node)),
  );
  return kept.filter((place, index) => !kept.slice(0, index).some((other) => isSameLink(other, place)));
}

/** What a script does with a link to "#" depends on where the link is, and so may what a link in a row does. */
function isSameLink(one: Place, other: Place): boolean {
  const { url } = one.node;
  const rowOf = ({ ancestors }: Place) => ancestors.findLast(({ role }) => role === "row" || role === "article");
  return (
    url !== null &&
    url === other.node.url &&
    !/#$|^javascript:/i.test(url) &&
    nameOf(one.node) === nameOf(other.node) &&
    rowOf(one) === rowOf(other)
  );
}

const BUTTONS = new Set(["link", "button", "tab", "menuitem"]);

/** What a verb means where several have one name: "click" a link or a button, "type" a field for text and not a list. */
const PREFERRED: Partial<Record<Purpose, readonly ((node: ObservedNode) => boolean)[]>> = {
  click: [({ role }) => BUTTONS.has(role), ({ role }) => CLICKABLE.has(role)],
  fill: [({ role, field }) => FILLABLE.has(role) && field?.type !== "select"],
  select: [isList],
};

/** Of several with one name: what can be used before what is disabled, and what suits the verb before the rest. */
function prefer(places: readonly Place[], purpose: Purpose): Place[] {
  const enabled = places.filter(({ node }) => node.states.disabled !== true);
  const usable = enabled.length > 0 ? enabled : [...places];
  for (const isPreferred of PREFERRED[purpose] ?? []) {
    const preferred = usable.filter(({ node }) => isPreferred(node));
    if (preferred.length > 0) return preferred;
  }
  return usable;
}

const AROUND = new Set(["banner", "navigation", "contentinfo", "search", "complementary"]);

/** Without a name: what is in the main part of the page, and not the search field that every page has. */
function narrowUnnamed(places: readonly Place[]): readonly Place[] {
  const enabled = places.filter(({ node }) => node.states.disabled !== true);
  const inMain = enabled.filter(({ ancestors }) => !ancestors.some(({ role }) => AROUND.has(role)));
  return inMain.length > 0 ? inMain : enabled;
}

/** The only button of the form that the last field is in: the nearest ancestor of it that has buttons. */
function findSubmit({ root }: Observation, lastField: ObservedNode | null): Finding {
  const places = [...walk(root)];
  const alike = lastField === null ? [] : places.filter(({ node }) => isSameField(node, lastField));
  // An element keeps its ref as long as it is in the document.
  const field = alike.find(({ node }) => node.ref === lastField?.ref) ?? alike[0];
  if (field === undefined)
    return { kind: "none", reason: "No field was filled in before, so it is not clear which form is meant." };
  for (const around of field.ancestors.toReversed()) {
    const buttons = insideOf(around, places).filter(
      ({ node }) => node.role === "button" && node.ref !== null && node.states.expanded === undefined,
    );
    const [first, ...others] = buttons;
    if (first === undefined) continue;
    if (others.length === 0) return { kind: "found", node: first.node };
    return {
      kind: "several",
      reason: `The form has several buttons: ${listTexts(buttons.map(({ node }) => describeNode(node)))}. Say which to click.`,
    };
  }
  return { kind: "none", reason: "The form has no button. Press Enter instead." };
}

export function isSameField(one: ObservedNode, other: ObservedNode): boolean {
  return one.role === other.role && labelOf(one) === labelOf(other) && one.field?.key === other.field?.key;
}
