import { oncePer } from "../../lib/once-per.ts";
import { isControlRole, labelOf, type ObservedNode, walk } from "./observation.ts";
import { dropUnseen } from "./visible-text.ts";

/** Which of the fields with one label a field is: a label alone names them all. */
export interface FieldPlace {
  /** How many fields of the page had the label: its twins and itself. */
  readonly twins: number;
  /** What it stands in and not all of its twins do, from the outside in: the heading above it, its section, its row. */
  readonly inside: readonly string[];
  /** Its position, from 0, among the `alike` twins that stand in things of the same names. */
  readonly position: number;
  readonly alike: number;
}

export type FieldFinding =
  | { readonly kind: "found"; readonly node: ObservedNode }
  | { readonly kind: "none" }
  /** The page has fields of this label, and it cannot be told which of them is meant. */
  | { readonly kind: "unclear" };

interface Field {
  readonly node: ObservedNode;
  readonly ancestors: readonly ObservedNode[];
  /** The last one before it on the page; empty without one. */
  readonly heading: string;
}

/** Where a field of this page stands; null when it has no value, or is none of the page's. */
export function placeField(root: ObservedNode, node: ObservedNode): FieldPlace | null {
  const twins = listFields(root, labelOf(node));
  const at = twins.findIndex((twin) => twin.node === node);
  if (at === -1) return null;
  const names = nameSurroundings(twins);
  const inside = names[at] ?? [];
  const alike = twins.filter((_, index) => isSameList(names[index] ?? [], inside));
  return { twins: twins.length, inside, position: alike.findIndex((twin) => twin.node === node), alike: alike.length };
}

/** The same field on this page, which may be another state of its page. */
export function findPlacedField(root: ObservedNode, label: string, place: FieldPlace): FieldFinding {
  const twins = listFields(root, label);
  const [only, ...others] = twins;
  if (only === undefined) return { kind: "none" };
  if (others.length === 0) return place.twins === 1 || standsIn(only, place) ? found(only) : { kind: "unclear" };
  const names = nameSurroundings(twins);
  const alike = twins.filter((_, index) => isSameList(names[index] ?? [], place.inside));
  if (alike.length === place.alike) return found(alike[place.position]);
  // Where all of them stand in the same, the order tells them apart, whatever that is called now.
  const isOrdered = alike.length === 0 && place.alike === place.twins && twins.length === place.twins;
  return isOrdered ? found(twins[place.position]) : { kind: "unclear" };
}

/** Whether these are one field, of two fields with the same label on the same page. */
export function isSamePlace(one: FieldPlace | null | undefined, other: FieldPlace | null | undefined): boolean {
  if (one == null || other == null || (one.twins === 1 && other.twins === 1)) return true;
  return one.position === other.position && isSameList(one.inside, other.inside);
}

/** All fields with this name, label or placeholder, in page order; without a label, the fields that have none. */
export function listFields(root: ObservedNode, label: string): readonly Field[] {
  return fieldsByName(root).get(simplify(label)) ?? [];
}

export function readFieldValue({ states, value }: ObservedNode): string | null {
  if (states.checked !== undefined) return states.checked === true ? "checked" : "unchecked";
  return value;
}

/** For comparing labels and values: without case, spaces and the punctuation around them. */
export function simplify(text: string): string {
  return dropUnseen(text)
    .toLowerCase()
    .replace(/[\s()*:.,-]+/g, "");
}

/** What has a value, under its name and its placeholder; under "" what has neither. */
const fieldsByName = oncePer((root: ObservedNode): ReadonlyMap<string, readonly Field[]> => {
  const fields = new Map<string, Field[]>();
  let heading = "";
  for (const { node, ancestors } of walk(root)) {
    if (node.role === "heading") heading = node.name || (findText(node, "", /\S/) ?? "");
    if (readFieldValue(node) === null) continue;
    const field = { node, ancestors, heading };
    for (const name of namesOf(node)) {
      const alike = fields.get(name);
      if (alike === undefined) fields.set(name, [field]);
      else alike.push(field);
    }
  }
  return fields;
});

function namesOf(node: ObservedNode): ReadonlySet<string> {
  const names = new Set([labelOf(node), node.field?.placeholder ?? ""].map(simplify));
  if (names.size > 1) names.delete("");
  return names;
}

function found(field: Field | undefined): FieldFinding {
  return field === undefined ? { kind: "unclear" } : { kind: "found", node: field.node };
}

/** For each field, the names of what it stands in and not all of its twins do. */
function nameSurroundings(twins: readonly Field[]): string[][] {
  const inside = new Map<ObservedNode, number>();
  for (const { ancestors } of twins) for (const each of ancestors) inside.set(each, (inside.get(each) ?? 0) + 1);
  const hasHeadings = new Set(twins.map(({ heading }) => heading)).size > 1;
  return twins.map(({ node, ancestors, heading }) => {
    // Of what is around the same twins, the outermost: it has the heading of a section.
    const parts = ancestors.filter((each, index) => {
      const around = index === 0 ? twins.length : (inside.get(ancestors[index - 1] as ObservedNode) ?? 0);
      return (inside.get(each) ?? 0) < around;
    });
    const names = parts.map((part) => nameOf(part, labelOf(node)));
    return [...(hasHeadings ? [heading] : []), ...names].map(simplify).filter(Boolean);
  });
}

/** Whether the only field of its label stands in what told it from its twins before. */
function standsIn({ node, ancestors, heading }: Field, { inside }: FieldPlace): boolean {
  const parts = ancestors.filter(({ role }) => ROWS.has(role) || NAMED.has(role));
  const names = new Set([heading, ...parts.map((part) => nameOf(part, labelOf(node)))].map(simplify));
  return inside.every((name) => names.has(name));
}

const ROWS: ReadonlySet<string> = new Set(["row", "listitem", "article", "treeitem"]);
/** What is not named by its content. */
const NAMED: ReadonlySet<string> = new Set(
  "region form group radiogroup dialog alertdialog tabpanel article search".split(" "),
);

/** What a part of a page is called: its own name, or the first text in it that is no label and in no control. */
function nameOf(part: ObservedNode, label: string): string {
  if (NAMED.has(part.role) && part.name !== "") return part.name;
  return findText(part, label, /\p{L}/u) ?? findText(part, label, /\p{N}/u) ?? "";
}

function findText(node: ObservedNode, label: string, wanted: RegExp): string | null {
  if (node.field !== null || node.value !== null || (isControlRole(node.role) && node.role !== "link")) return null;
  if (node.children.length === 0) return wanted.test(node.name) && node.name !== label ? node.name : null;
  for (const child of node.children) {
    const text = findText(child, label, wanted);
    if (text !== null) return text;
  }
  return null;
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}
