import type { Box, FieldFacts, NodeStates, ObservedNode } from "./observation.ts";
import { toVisibleText } from "./visible-text.ts";

/** A node while its tree is being built. */
export interface DraftNode {
  role: string;
  name: string;
  label: string | null;
  ref: string | null;
  value: string | null;
  field: FieldFacts | null;
  states: NodeStates;
  url: string | null;
  box: Box | null;
  isBehind?: boolean;
  children: DraftNode[];
  /** The data of Playwright's snapshot; null for a node that is not from there. */
  readonly source: Source | null;
}

export interface Source {
  readonly ref: string | null;
  /** As Playwright has it, with characters that nobody can read. */
  readonly name: string;
  /** Names and texts of its content, in order; without the value of a field. */
  readonly texts: readonly string[];
  readonly hasPointer: boolean;
  /** Relative to its frame; also kept for elements without size. */
  readonly box: Box | null;
}

export function draftText(text: string): DraftNode {
  return {
    role: "text",
    name: text,
    label: null,
    ref: null,
    value: null,
    field: null,
    states: {},
    url: null,
    box: null,
    children: [],
    source: null,
  };
}

/** All descendants in the same frame, in order. An iframe is included, its content is not. */
export function walkFrame(node: DraftNode, nodes: DraftNode[] = []): DraftNode[] {
  for (const child of node.children) {
    nodes.push(child);
    if (child.role !== "iframe") walkFrame(child, nodes);
  }
  return nodes;
}

export function finishTree({ source: _, children, ...node }: DraftNode): ObservedNode {
  return { ...node, children: children.map(finishTree) };
}

/** A node of Playwright's snapshot. It is untyped JSON by contract, so each property is checked. */
type SnapshotNode = Readonly<Record<string, unknown>>;

/** Roles whose text content is a value and not a name. */
const HOLDS_TEXT: ReadonlySet<string> = new Set(["textbox", "searchbox", "spinbutton", "slider"]);

export function parseSnapshot(snapshot: unknown): DraftNode[] {
  return Array.isArray(snapshot) ? snapshot.flatMap(parseNode) : [];
}

function parseNode(node: unknown): DraftNode[] {
  if (typeof node === "string") return parseText(node);
  if (typeof node !== "object" || node === null) return [];
  const snapshot = node as SnapshotNode;
  const role = readText(snapshot["role"]);
  if (role === "text") return parseText(readText(snapshot["text"]));
  const children = parseChildren(snapshot);
  return [toDraft(role, snapshot, children)];
}

function parseText(text: string): DraftNode[] {
  const visible = toVisibleText(text);
  return visible === "" ? [] : [draftText(visible)];
}

/** What masked values look like. */
export const MASK = "••••••";

export function isWordChar(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}]/u.test(char);
}

function parseChildren({ text, children }: SnapshotNode): DraftNode[] {
  if (typeof text === "string") return parseText(text);
  return parseSnapshot(children);
}

function toDraft(role: string, snapshot: SnapshotNode, children: DraftNode[]): DraftNode {
  const name = readText(snapshot["name"]);
  const holdsText = HOLDS_TEXT.has(role);
  const held = holdsText ? children.filter((child) => child.role === "text") : [];
  const box = readBox(snapshot["box"]);
  return {
    role,
    name: toVisibleText(name),
    label: null,
    ref: null,
    value: holdsText ? held.map((child) => child.name).join(" ") : null,
    field: null,
    states: readStates(role, snapshot),
    url: typeof snapshot["url"] === "string" ? snapshot["url"] : null,
    box: box === null || (box.width === 0 && box.height === 0) ? null : box,
    children: children.filter((child) => !held.includes(child)),
    source: {
      ref: typeof snapshot["ref"] === "string" ? snapshot["ref"] : null,
      name,
      texts: holdsText ? [] : children.flatMap(textsIn),
      hasPointer: snapshot["cursor"] === "pointer",
      box,
    },
  };
}

function textsIn({ role, name, source }: DraftNode): readonly string[] {
  if (role === "text") return [name];
  return name === "" ? (source?.texts ?? []) : [name];
}

function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function readBox(value: unknown): Box | null {
  if (typeof value !== "object" || value === null) return null;
  const { x, y, width, height } = value as SnapshotNode;
  if (typeof x !== "number" || typeof y !== "number") return null;
  return { x, y, width: Number(width), height: Number(height) };
}

const CHECKABLE: ReadonlySet<string> = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);

/** Playwright omits false states. Those of checkboxes, options and tabs are set explicitly. */
function readStates(role: string, snapshot: SnapshotNode): NodeStates {
  const states: { -readonly [Key in keyof NodeStates]: NodeStates[Key] } = {};
  if (CHECKABLE.has(role)) states.checked = readTristate(snapshot["checked"]);
  if (role === "option" || role === "tab") states.selected = snapshot["selected"] === true;
  else if (snapshot["selected"] === true) states.selected = true;
  if (snapshot["disabled"] === true) states.disabled = true;
  if (snapshot["expanded"] === true) states.expanded = true;
  if (snapshot["pressed"] !== undefined) states.pressed = readTristate(snapshot["pressed"]);
  if (snapshot["invalid"] !== undefined && snapshot["invalid"] !== false) states.invalid = true;
  // On the body it only means that nothing has the focus.
  if (snapshot["active"] === true && role !== "generic") states.active = true;
  if (typeof snapshot["level"] === "number") states.level = snapshot["level"];
  return states;
}

function readTristate(value: unknown): boolean | "mixed" {
  return value === "mixed" ? "mixed" : value === true;
}
