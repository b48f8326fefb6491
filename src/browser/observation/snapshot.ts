import type { Box, FieldFacts, NodeStates, ObservedNode } from "./observation.ts";

/** A node while its tree is being made. */
export interface DraftNode {
  role: string;
  name: string;
  ref: string | null;
  value: string | null;
  field: FieldFacts | null;
  states: NodeStates;
  url: string | null;
  box: Box | null;
  children: DraftNode[];
  /** What Playwright's snapshot says; null for what is not from there. */
  readonly source: Source | null;
}

export interface Source {
  readonly ref: string | null;
  readonly name: string;
  /** What stands in it, names and texts in order; of a field without what it holds. */
  readonly texts: readonly string[];
  readonly hasPointer: boolean;
  /** Relative to its frame; kept for things without size too. */
  readonly box: Box | null;
}

export function draftText(text: string): DraftNode {
  return {
    role: "text",
    name: text,
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

/** Every node below that belongs to the same frame, in order; an iframe counts, what is inside it does not. */
export function* walkFrame(node: DraftNode): Generator<DraftNode> {
  for (const child of node.children) {
    yield child;
    if (child.role !== "iframe") yield* walkFrame(child);
  }
}

export function finishTree({ source: _, children, ...node }: DraftNode): ObservedNode {
  return { ...node, children: children.map(finishTree) };
}

/** The part of Playwright's snapshot that is used. It is free-form JSON by contract, so each property is checked. */
type SnapshotNode = Readonly<Record<string, unknown>>;

/** Roles whose text is what they hold and not what they are called. */
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
  const normalized = normalizeSpace(text);
  return normalized === "" ? [] : [draftText(normalized)];
}

export function normalizeSpace(text: string): string {
  return text
    .replace(/[\u200b\u00ad]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

function parseChildren({ text, children }: SnapshotNode): DraftNode[] {
  if (typeof text === "string") return parseText(text);
  return parseSnapshot(children);
}

function toDraft(role: string, snapshot: SnapshotNode, children: DraftNode[]): DraftNode {
  const name = normalizeSpace(readText(snapshot["name"]));
  const holdsText = HOLDS_TEXT.has(role);
  const held = holdsText ? children.filter((child) => child.role === "text") : [];
  const box = readBox(snapshot["box"]);
  return {
    role,
    name,
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

/** Playwright leaves out what is false. An unchecked box and an option that is not chosen are worth saying. */
function readStates(role: string, snapshot: SnapshotNode): NodeStates {
  const states: { -readonly [Key in keyof NodeStates]: NodeStates[Key] } = {};
  if (CHECKABLE.has(role)) states.checked = readTristate(snapshot["checked"]);
  if (role === "option" || role === "tab") states.selected = snapshot["selected"] === true;
  else if (snapshot["selected"] === true) states.selected = true;
  if (snapshot["disabled"] === true) states.disabled = true;
  if (snapshot["expanded"] === true) states.expanded = true;
  if (snapshot["pressed"] !== undefined) states.pressed = readTristate(snapshot["pressed"]);
  if (snapshot["invalid"] !== undefined && snapshot["invalid"] !== false) states.invalid = true;
  // Of the body it only says that nothing has the focus.
  if (snapshot["active"] === true && role !== "generic") states.active = true;
  if (typeof snapshot["level"] === "number") states.level = snapshot["level"];
  return states;
}

function readTristate(value: unknown): boolean | "mixed" {
  return value === "mixed" ? "mixed" : value === true;
}
