import { CUT_MARK, type Observation, type ObservedNode } from "../../browser/observation/observation.ts";
import {
  type FieldPlace,
  findPlacedField,
  listFields,
  readFieldValue,
  simplify,
} from "../../browser/observation/twin-fields.ts";
import { collapseWhitespace } from "../../browser/observation/visible-text.ts";
import { readDigits } from "./amounts.ts";

const CHECKABLE = new Set(["checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"]);
const NAMED_BY_CONTENT = new Set(["cell", "gridcell", "rowheader", "columnheader", "row", "listitem", "treeitem"]);
const FIELDS = new Set(["textbox", "searchbox", "combobox", "spinbutton", "slider", "listbox"]);

/**
 * What a person reads in a node, including the values of fields and the states of check boxes ("☑ Gift wrap"). The text of
 * a part is always contained in the text of the whole, so that a quote from a cell can be found in the text of its page.
 */
export function readText(node: ObservedNode): string {
  if (isCheckable(node)) return joinText([readMark(node), collapseWhitespace(node.name)]);
  if (isField(node)) return node.field?.isSecret === true ? "" : collapseWhitespace(node.value ?? "");
  const name = collapseWhitespace(node.name);
  if (node.children.length === 0) return name;
  const inner = joinText(node.children.map(readText));
  // The name of a cell is made of its content, including the labels of its fields.
  if (inner !== "" && NAMED_BY_CONTENT.has(node.role)) return inner;
  if (inner === "" || name.includes(inner)) return name;
  return name === "" || inner.includes(name) ? inner : `${name} ${inner}`;
}

/** Like readText, without buttons and without the lists and tables inside, which are records of their own. */
export function readOwnText(node: ObservedNode): string {
  if (!hasDescendant(node, isSeparate)) return readText(node);
  if (isSeparate(node)) return "";
  return joinText(node.children.filter((child) => !isSeparate(child)).map(readOwnText));
}

/** The text of a page without what its fields hold. */
export function readOutsideFields(node: ObservedNode): string {
  if (isField(node) || node.role === "textbox") return "";
  if (node.children.length === 0) return collapseWhitespace(node.name);
  return joinText(node.children.map(readOutsideFields));
}

export function isCheckable(node: ObservedNode): boolean {
  return CHECKABLE.has(node.role);
}

/** Editors give the parts of a text other roles, such as "document". */
export function isField({ role, field, value }: ObservedNode): boolean {
  return field?.type === "contenteditable" || (FIELDS.has(role) && (field !== null || value !== null));
}

export function isButton(node: ObservedNode): boolean {
  return node.role === "button" || node.role === "menuitem";
}

export function readMark(node: ObservedNode): string {
  return node.states.checked === true ? "☑" : "☐";
}

/** Whether any descendant matches. */
export function hasDescendant(node: ObservedNode, matches: (inner: ObservedNode) => boolean): boolean {
  return node.children.some((child) => matches(child) || hasDescendant(child, matches));
}

/** The outermost descendants that match, in order; those inside of a match are not listed. */
export function findDescendants(node: ObservedNode, matches: (inner: ObservedNode) => boolean): ObservedNode[] {
  return node.children.flatMap((child) => (matches(child) ? [child] : findDescendants(child, matches)));
}

function isSeparate(node: ObservedNode): boolean {
  return isButton(node) || node.role === "list" || node.role === "table" || node.role === "grid";
}

function joinText(parts: readonly string[]): string {
  return parts.filter(Boolean).join(" ");
}

/**
 * The values of the fields with this name, label or placeholder, in page order; without a label, of the fields that have none.
 * With the place of a field that has twins, only its own value.
 */
export function findFieldValues(
  { root }: Pick<Observation, "root">,
  label: string,
  place: FieldPlace | null = null,
): string[] {
  const nodes = hasTwins(place) ? findTwin(root, label, place) : listFields(root, label).map(({ node }) => node);
  // Beside a field for text, a list of the same label chooses how it is read.
  const isList = (node: ObservedNode) => node.field?.type === "select";
  return [...nodes.filter((node) => !isList(node)), ...nodes.filter(isList)]
    .map((node) => readFieldValue(node))
    .filter((value) => value !== null);
}

function findTwin(root: ObservedNode, label: string, place: FieldPlace): ObservedNode[] {
  const finding = findPlacedField(root, label, place);
  return finding.kind === "found" ? [finding.node] : [];
}

/** Whether the label alone does not say which field it is. */
export function hasTwins(place: FieldPlace | null | undefined): place is FieldPlace {
  return place != null && place.twins > 1;
}

/** Whether the page has fields of this label, and it cannot be told which of them stands in this place. */
export function isUnclearField(
  { root }: Pick<Observation, "root">,
  label: string,
  place: FieldPlace | null = null,
): boolean {
  return hasTwins(place) && findPlacedField(root, label, place).kind === "unclear";
}

/** Whether the page shows only a part of what the field holds. */
export function isCutValue(value: string): boolean {
  return value.endsWith(CUT_MARK);
}

/**
 * Whether a field holds what was entered. Sites tidy up spaces, case and punctuation, but 1.50 is not 150 and -5 is not 5. Of a
 * value that is cut, what the page shows is compared.
 */
export function isSameValue(one: string, other: string): boolean {
  if (isCutValue(one) !== isCutValue(other)) {
    const [shown, whole] = isCutValue(one) ? [one, other] : [other, one];
    const part = simplify(shown.slice(0, -CUT_MARK.length));
    return part !== "" && simplify(whole).includes(part);
  }
  const [first, second] = [readNumber(one), readNumber(other)];
  if (first === null || second === null || first.symbols !== second.symbols) return simplify(one) === simplify(other);
  return first.values.some((value) => second.values.includes(value));
}

const SINGLE_NUMBER =
  /^(?<sign>[-−–]?)\s?(?<before>[€£$¥]?)\s?(?<digits>(?!0\d)\d+(?:[.,'’\s]\d+)*)\s?(?<after>[€£$¥%]?)$/;
/** Longer ones are codes, and beyond what a number can hold. */
const MAX_DIGITS = 15;

/** Every way to read a text that is a single number; null for any other text. A leading zero makes it a code. */
function readNumber(text: string): { values: number[]; symbols: string } | null {
  const { sign, before, digits = "", after } = SINGLE_NUMBER.exec(text.trim())?.groups ?? {};
  const values = digits === "" || digits.length > MAX_DIGITS ? null : readDigits(digits.replace(/\s/g, ""));
  if (values === null) return null;
  const signed = values.filter((value) => value !== null).map((value) => (sign === "" ? value : -value));
  return { values: signed, symbols: `${before}${after}` };
}
