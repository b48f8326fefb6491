import { type Observation, type ObservedNode, walk } from "../../browser/observation/observation.ts";

const CHECKABLE = new Set(["checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"]);
const NAMED_BY_CONTENT = new Set(["cell", "gridcell", "rowheader", "columnheader", "row", "listitem", "treeitem"]);
const FIELDS = new Set(["textbox", "searchbox", "combobox", "spinbutton", "slider", "listbox"]);

/**
 * What a person reads there, values of fields and states of check boxes ("☑ Gift wrap") included. The text of a part
 * always stands in the text of the whole, so that a quote from a cell can be found in the text of its page.
 */
export function readText(node: ObservedNode): string {
  if (isCheckable(node)) return joinText([readMark(node), collapseWhitespace(node.name)]);
  if (isField(node)) return node.field?.isSecret === true ? "" : collapseWhitespace(node.value ?? "");
  const name = collapseWhitespace(node.name);
  if (node.children.length === 0) return name;
  const inner = joinText(node.children.map(readText));
  // The name of a cell is made of what it holds, labels of its fields included.
  if (inner !== "" && NAMED_BY_CONTENT.has(node.role)) return inner;
  if (inner === "" || name.includes(inner)) return name;
  return name === "" || inner.includes(name) ? inner : `${name} ${inner}`;
}

/** Like readText, without buttons and without lists and tables inside, which are records of their own. */
export function readOwnText(node: ObservedNode): string {
  if (!hasDescendant(node, isApart)) return readText(node);
  if (isApart(node)) return "";
  return joinText(node.children.filter((child) => !isApart(child)).map(readOwnText));
}

export function isCheckable(node: ObservedNode): boolean {
  return CHECKABLE.has(node.role);
}

export function isField(node: ObservedNode): boolean {
  return FIELDS.has(node.role) && (node.field !== null || node.value !== null);
}

export function isButton(node: ObservedNode): boolean {
  return node.role === "button" || node.role === "menuitem";
}

export function readMark(node: ObservedNode): string {
  return node.states.checked === true ? "☑" : "☐";
}

export function collapseWhitespace(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Whether a node inside, at any depth, is such a one. */
export function hasDescendant(node: ObservedNode, is: (inner: ObservedNode) => boolean): boolean {
  return node.children.some((child) => is(child) || hasDescendant(child, is));
}

/** The nodes inside that are such ones, in order; nothing is looked for inside of them. */
export function findDescendants(node: ObservedNode, is: (inner: ObservedNode) => boolean): ObservedNode[] {
  return node.children.flatMap((child) => (is(child) ? [child] : findDescendants(child, is)));
}

function isApart(node: ObservedNode): boolean {
  return isButton(node) || node.role === "list" || node.role === "table" || node.role === "grid";
}

function joinText(parts: readonly string[]): string {
  return parts.filter(Boolean).join(" ");
}

/** What the fields with this label hold, in the order of the page. */
export function findFieldValues({ root }: Pick<Observation, "root">, label: string): string[] {
  const wanted = simplify(label);
  return [...walk(root)]
    .filter(({ node }) => [node.name, node.field?.placeholder ?? ""].some((name) => simplify(name) === wanted))
    .map(({ node }) => valueOf(node))
    .filter((value) => value !== null);
}

export function isSameValue(one: string, other: string): boolean {
  return simplify(one) === simplify(other);
}

function valueOf({ states, value }: ObservedNode): string | null {
  if (states.checked !== undefined) return states.checked === true ? "checked" : "unchecked";
  return value;
}

/** Sites tidy up what is typed: spaces, capitals, punctuation in a number. */
function simplify(text: string): string {
  return text.toLowerCase().replace(/[\s()*:.,-]+/g, "");
}
