import { type DraftNode, walkFrame } from "./draft.ts";
import { type Box, isControlRole, textOf } from "./observation.ts";
import type { DrawnField, ElementRecord, PageFacts } from "./page-facts.ts";

/** The tree of one frame, with what else was read; null when the frame could not be read. */
export interface FrameDraft {
  readonly root: DraftNode;
  readonly facts: PageFacts | null;
  /** The position of its document in the viewport of the page. */
  readonly origin: { readonly x: number; readonly y: number };
}

/**
 * Completes the tree of one frame: which nodes are targets, what fields hold, what nodes are called. Yields now and then: on
 * a page with thousands of elements it takes long.
 */
export function* completeFrame(
  { root, facts, origin }: FrameDraft,
  toRef: (number: number) => string,
): Generator<void, void> {
  const nodes = walkFrame(root);
  yield;
  for (const node of nodes) {
    completeNode(node, facts?.baseUrl ?? null, toRef);
    yield;
  }
  removeDrawnTexts(root);
  prune(root);
  yield;
  const pruned = walkFrame(root);
  yield* nameNodes(pruned);
  for (const node of pruned) node.box = moveBox(node.box, origin);
  removeNodes(root, isEmptyTarget);
}

function recordOf({ source }: DraftNode): ElementRecord | null {
  return source?.record ?? null;
}

function removeDrawnTexts(root: DraftNode): void {
  const found = findDrawnTexts(root);
  if (found.size > 0) removeNodes(root, (node) => found.has(node));
}

function* nameNodes(nodes: readonly DraftNode[]): Generator<void, void> {
  for (const node of nodes) {
    nameByContent(node);
    yield;
  }
  for (const node of nodes) {
    nameByScan(node);
    showContent(node);
    yield;
  }
  for (const node of nodes) if (givesNameAway(node)) node.name = "";
}

function completeNode(node: DraftNode, baseUrl: string | null, toRef: (number: number) => string): void {
  const record = recordOf(node);
  if (record !== null) applyField(node, record);
  if (record?.drawn) applyDrawnField(node, record.drawn);
  if (node.role === "combobox" && node.value === null) holdContent(node);
  if (node.url !== null) node.url = resolveUrl(node.url, baseUrl);
  if (node.source?.isPicked && node.states.selected === undefined) node.states = { ...node.states, selected: true };
  if (isActedOn(node, record)) node.ref = node.source?.number === undefined ? null : toRef(node.source.number);
}

function isActedOn(node: DraftNode, record: ElementRecord | null): boolean {
  const { role, source, box } = node;
  if (role === "iframe" || (role === "option" && box === null)) return false;
  if (record?.drawn?.isAround) return false;
  // Some controls cannot be hit at the moment, for example before the mouse is over their row.
  if (isControlRole(role) && (source?.canHit || record?.click || record?.field)) return true;
  if (source?.hasPointer || record?.field) return true;
  if (record === null) return false;
  if (record.states.draggable || record.states.droppable) return true;
  return record.click !== null && (!CONTAINERS.has(role) || node.children.every((child) => textOf(child) === ""));
}

function applyField(node: DraftNode, { field, states }: ElementRecord): void {
  node.states = { ...states, ...node.states };
  if (field === null) return;
  const { value, isHint: _, ...facts } = field;
  node.field = facts;
  node.value = value;
  if (facts.type !== "contenteditable") {
    if (facts.isSecret) node.children = node.children.filter(({ role }) => role !== "text");
    return;
  }
  if (node.role === "generic") node.role = "textbox";
  const shown = node.children.map(textOf).filter(Boolean).join(" ");
  // What an empty editor shows is a hint.
  if (value === "" && shown !== "") node.field = { ...facts, placeholder: facts.placeholder ?? shown };
  node.children = node.children.filter(({ role }) => role !== "text" && !(value === "" && role === "paragraph"));
}

/** A combobox that is not a field shows its choice as text. */
function holdContent(node: DraftNode): void {
  if (node.children.some(hasControl)) return;
  node.value = node.children.map(textOf).filter(Boolean).join(" ");
  node.children = [];
}

/** A field that a library draws: its label and its value are elsewhere than in a native field. */
function applyDrawnField(node: DraftNode, { label, isList, value, placeholder }: DrawnField): void {
  if (isList && !isControlRole(node.role)) node.role = "combobox";
  if (label !== "") node.name = label;
  if (node.name === "" && placeholder !== null) node.label = placeholder;
  if (node.field !== null) node.field = { ...node.field, placeholder: node.field.placeholder ?? placeholder };
  if (value === null || (node.value ?? "") !== "") return;
  node.value = value;
  if (node.field === null) node.children = node.children.flatMap(controlsIn);
}

/** The outermost controls in a drawn field. A list of only what is chosen is its value. */
function controlsIn(node: DraftNode): DraftNode[] {
  const isChosen = ({ role, states }: DraftNode) => role === "option" && states.selected === true;
  const isValue = isChosen(node) || (node.role === "listbox" && node.children.every(isChosen));
  return isControlRole(node.role) && !isValue ? [node] : node.children.flatMap(controlsIn);
}

const MAX_NODES_AWAY = 12;

/** The nodes with the text that drawn fields show. They are near the field, and part of no other target. */
function findDrawnTexts(root: DraftNode): Set<DraftNode> {
  const found = new Set<DraftNode>();
  const nodes: DraftNode[] = [];
  const collect = (parent: DraftNode) => {
    for (const child of parent.children) {
      nodes.push(child);
      if (child.role !== "iframe" && !isControlRole(child.role)) collect(child);
    }
  };
  collect(root);
  for (const [at, node] of nodes.entries()) {
    const texts = recordOf(node)?.drawn?.texts ?? [];
    if (texts.length === 0) continue;
    const near = nodes.slice(Math.max(0, at - MAX_NODES_AWAY - texts.length), at + MAX_NODES_AWAY).toReversed();
    for (const text of texts) {
      const shown = near.find((one) => one.role === "text" && one.name === text && !found.has(one));
      if (shown !== undefined) found.add(shown);
    }
  }
  return found;
}

function hasControl({ role, children }: DraftNode): boolean {
  return isControlRole(role) || children.some(hasControl);
}

function resolveUrl(url: string, baseUrl: string | null): string {
  return (baseUrl === null ? URL.parse(url) : URL.parse(url, baseUrl))?.href ?? url;
}

/** The empty label of a box that is drawn beside it, for example. */
function isEmptyTarget(node: DraftNode): boolean {
  const { role, name, value, children, source } = node;
  const isEmpty = role === "generic" && source !== null && name === "" && value === null && children.length === 0;
  return isEmpty && recordOf(node) === null;
}

function removeNodes(parent: DraftNode, isUnwanted: (node: DraftNode) => boolean): void {
  parent.children = parent.children.filter((child) => !isUnwanted(child));
  for (const child of parent.children) if (child.role !== "iframe") removeNodes(child, isUnwanted);
}

const EMPTY_GROUPS: ReadonlySet<string> = new Set(["generic", "paragraph"]);

/** Removes empty groups. */
function prune(node: DraftNode): void {
  for (const child of node.children) if (child.role !== "iframe") prune(child);
  node.children = node.children.filter(
    ({ role, name, ref, value, children }) =>
      !EMPTY_GROUPS.has(role) || name !== "" || ref !== null || value !== null || children.length > 0,
  );
}

const NAMED_BY_CONTENT: ReadonlySet<string> = new Set([
  "button",
  "cell",
  "checkbox",
  "columnheader",
  "gridcell",
  "heading",
  "link",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "radio",
  "rowheader",
  "switch",
  "tab",
  "tooltip",
  "treeitem",
]);

/** Text that screen readers skip, such as a symbol, is a name when there is no other. */
function nameByContent(node: DraftNode): void {
  if (node.name !== "") return;
  const isNamed = NAMED_BY_CONTENT.has(node.role) || (node.role === "generic" && node.ref !== null);
  if (isNamed) node.name = textOf(node);
}

/** Scripts listen on them for what is in them. */
const CONTAINERS: ReadonlySet<string> = new Set([
  "form",
  "grid",
  "list",
  "main",
  "menu",
  "navigation",
  "rowgroup",
  "table",
  "tablist",
  "toolbar",
  "tree",
  "treegrid",
]);

/** What it is called by its looks or its surroundings. Of a container, that would be all of its text. */
function nameByScan(node: DraftNode): void {
  const record = recordOf(node);
  if (node.name !== "" || !record?.click) return;
  if (!CONTAINERS.has(node.role) || record.states.droppable || textOf(node) === "") node.name = record.click.name;
}

/** A button that opens a picker is often named by a label, and shows what was picked. */
function showContent(node: DraftNode): void {
  if (node.role !== "button" || node.value !== null || node.children.some(hasControl)) return;
  const shown = node.children.map(textOf).filter(Boolean).join(" ");
  const [name, text] = [node.name.toLowerCase(), shown.toLowerCase()];
  if (/[\p{L}\p{N}]/u.test(text) && !name.includes(text) && !text.includes(name)) node.value = shown;
}

/** A wrapper has given its name to the control in it. */
function givesNameAway({ role, ref, name, children }: DraftNode): boolean {
  if (role !== "generic" || ref !== null || name === "") return false;
  return children.some((child) =>
    isControlRole(child.role) ? child.name === name : givesNameAway({ ...child, name }),
  );
}

function moveBox(box: Box | null, { x, y }: FrameDraft["origin"]): Box | null {
  return box === null ? null : { ...box, x: box.x + x, y: box.y + y };
}
