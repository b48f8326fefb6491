import { type Box, isControlRole, textOf } from "./observation.ts";
import type { BrokenText, DrawnField, ElementRecord, PageFacts } from "./page-facts.ts";
import { type PlacedTarget, placeClickTargets } from "./place-click-targets.ts";
import { type DraftNode, MASK, walkFrame } from "./snapshot.ts";
import { stripHiddenText } from "./strip-hidden-text.ts";

/** One frame's part of the snapshot, with the facts of the scan; null when the frame could not be scanned. */
export interface FrameDraft {
  readonly root: DraftNode;
  readonly facts: PageFacts | null;
  /** The position of its document in the viewport of the page. */
  readonly origin: { readonly x: number; readonly y: number };
}

/**
 * Completes the snapshot of one frame with the facts of the scan. Returns the nodes that the snapshot lacked. Yields now and
 * then: on a page with thousands of elements it takes long.
 */
export function* completeFrame(
  { root, facts, origin }: FrameDraft,
  issueRef: () => string,
): Generator<void, PlacedTarget[]> {
  const nodes = walkFrame(root);
  yield;
  const { recordOf, unmatched } = yield* joinRecords(nodes, facts?.records ?? []);
  const mayHoldSecret = facts === null || unmatched.some(({ field }) => field?.isSecret);
  for (const node of nodes) {
    completeNode(node, recordOf.get(node), { mayHoldSecret, baseUrl: facts?.baseUrl ?? null });
    yield;
  }
  removeSuperfluous(root, recordOf);
  separateLines(nodes, facts?.brokenTexts ?? []);
  yield* stripHiddenText(root, facts?.hiddenRuns ?? []);
  const placed = [...issueRefs(nodes, recordOf, issueRef), ...(yield* placeClickTargets(root, unmatched, issueRef))];
  prune(root);
  yield;
  for (const { node, record } of placed) {
    recordOf.set(node, record);
    if (record.drawn) applyDrawnField(node, record.drawn);
  }
  const pruned = walkFrame(root);
  yield* nameNodes(pruned, recordOf);
  const behind = new Set(facts?.behind.map(boxKey));
  for (const node of pruned) {
    if (node.box !== null && behind.has(boxKey(node.box))) node.isBehind = true;
    node.box = moveBox(node.box, origin);
  }
  removeNodes(root, (node) => isEmptyTarget(node) && !recordOf.has(node));
  return placed;
}

/** The snapshot glues the lines of a text together. */
function separateLines(nodes: readonly DraftNode[], brokenTexts: readonly BrokenText[]): void {
  if (brokenTexts.length === 0) return;
  const texts = Map.groupBy(
    nodes.filter(({ name, children }) => name !== "" && children.length === 0),
    ({ name }) => name,
  );
  for (const { glued, forms } of brokenTexts) {
    const places = texts.get(glued) ?? [];
    const isCertain = places.length === forms.length || new Set(forms).size === 1;
    if (isCertain) for (const [index, node] of places.entries()) node.name = forms[index] ?? forms[0] ?? glued;
  }
}

/** Parts of fields that are nodes of their own in the snapshot. */
function removeSuperfluous(root: DraftNode, recordOf: ReadonlyMap<DraftNode, ElementRecord>): void {
  const found = findDrawnTexts(root, recordOf);
  for (const [node, { field, drawn }] of recordOf) if (field?.isHint || drawn?.isPart) found.add(node);
  if (found.size > 0) removeNodes(root, (node) => found.has(node));
}

function* nameNodes(
  nodes: readonly DraftNode[],
  recordOf: ReadonlyMap<DraftNode, ElementRecord>,
): Generator<void, void> {
  for (const node of nodes) {
    nameByContent(node);
    yield;
  }
  for (const node of nodes) {
    nameByScan(node, recordOf.get(node));
    showContent(node);
    yield;
  }
  for (const node of nodes) if (givesNameAway(node)) node.name = "";
}

/** The snapshot has no refs for controls and fields that the mouse cannot hit at the moment. */
function issueRefs(
  nodes: readonly DraftNode[],
  recordOf: ReadonlyMap<DraftNode, ElementRecord>,
  issueRef: () => string,
): PlacedTarget[] {
  return nodes.flatMap((node) => {
    const record = recordOf.get(node);
    if (node.ref !== null || record === undefined || (node.role === "option" && node.box === null)) return [];
    if (record.field === null && (record.click === null || !isControlRole(node.role))) return [];
    node.ref = issueRef();
    return [{ node, record }];
  });
}

interface FrameFacts {
  /** The frame has a secret field that matches no node, so any node may be it. */
  readonly mayHoldSecret: boolean;
  readonly baseUrl: string | null;
}

function completeNode(
  node: DraftNode,
  record: ElementRecord | undefined,
  { mayHoldSecret, baseUrl }: FrameFacts,
): void {
  if (record === undefined) {
    if (mayHoldSecret && node.value) node.value = MASK;
  } else {
    applyField(node, record);
  }
  if (node.role === "generic" && record !== undefined) applyRole(node, record);
  if (record?.drawn) applyDrawnField(node, record.drawn);
  if (node.role === "combobox" && node.value === null) holdContent(node);
  if (node.url !== null) node.url = resolveUrl(node.url, baseUrl);
  if (node.role === "option" && node.box === null) return;
  if (isActedOn(node, record)) node.ref = node.source?.ref ?? null;
}

function isActedOn(node: DraftNode, record: ElementRecord | undefined): boolean {
  const { role, source } = node;
  if (role === "iframe") return false;
  if (record?.drawn?.isAround) return false;
  if (isControlRole(role) || source?.hasPointer) return true;
  if (record === undefined) return false;
  if (record.field !== null || record.states.draggable || record.states.droppable) return true;
  return record.click !== null && (!CONTAINERS.has(role) || node.children.every((child) => textOf(child) === ""));
}

/** The snapshot has no roles for what opens details, and for a canvas. */
function applyRole(node: DraftNode, { click }: ElementRecord): void {
  if (click?.role === "button" || click?.role === "canvas") node.role = click.role;
}

function applyField(node: DraftNode, { field, states }: ElementRecord): void {
  node.states = { ...states, ...node.states };
  if (field === null) return;
  const { value, isHint: _, ...facts } = field;
  node.field = facts;
  node.value = value;
  if (node.role === "generic" && facts.type === "contenteditable") node.role = "textbox";
  if (facts.type === "contenteditable" || facts.isSecret)
    node.children = node.children.filter(({ role }) => role !== "text");
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
function findDrawnTexts(root: DraftNode, recordOf: ReadonlyMap<DraftNode, ElementRecord>): Set<DraftNode> {
  const found = new Set<DraftNode>();
  if (!recordOf.values().some(({ drawn }) => drawn !== null && drawn.texts.length > 0)) return found;
  const nodes: DraftNode[] = [];
  const collect = (parent: DraftNode) => {
    for (const child of parent.children) {
      nodes.push(child);
      if (child.role !== "iframe" && !isControlRole(child.role)) collect(child);
    }
  };
  collect(root);
  for (const [at, node] of nodes.entries()) {
    const texts = recordOf.get(node)?.drawn?.texts ?? [];
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

/** The empty label of a box that is drawn beside it, for example. The scan knows all others. */
function isEmptyTarget({ role, name, value, children, source }: DraftNode): boolean {
  return role === "generic" && source !== null && name === "" && value === null && children.length === 0;
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

/** Playwright omits a name that equals the content. Targets should have it all the same. */
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

/** What the scan calls it, when the snapshot has no name for it. Of a container, that would be all of its text. */
function nameByScan(node: DraftNode, record: ElementRecord | undefined): void {
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

interface JoinedRecords {
  readonly recordOf: Map<DraftNode, ElementRecord>;
  /** Records without a node. */
  readonly unmatched: readonly ElementRecord[];
}

/**
 * Matches nodes of the snapshot with elements of the scan: both have the same rounded box and come in document order.
 * Fields that have moved in between are recognised by their size.
 */
function* joinRecords(nodes: readonly DraftNode[], records: readonly ElementRecord[]): Generator<void, JoinedRecords> {
  const recordOf = new Map<DraftNode, ElementRecord>();
  const unused = new Set(records);
  function* match(
    toKey: (box: Box) => string,
    mayFit: (record: ElementRecord) => boolean,
    fits: RecordMatch,
  ): Generator<void, void> {
    // Only what is left is searched: thousands of fields may have the same size.
    const buckets = Map.groupBy([...unused].filter(mayFit), ({ box }) => toKey(box));
    if (buckets.size === 0) return;
    for (const node of nodes) {
      yield;
      const box = node.source?.box;
      if (box === undefined || box === null || recordOf.has(node)) continue;
      const record = take(buckets.get(toKey(box)) ?? [], (one) => fits(one, node));
      if (record === undefined) continue;
      recordOf.set(node, record);
      unused.delete(record);
    }
  }
  const isRole: RecordMatch = ({ roles }, { role }) => roles?.includes(role) ?? false;
  const isFree = ({ roles }: ElementRecord) => roles === null;
  yield* match(boxKey, ({ roles }) => roles !== null, isRole);
  yield* match(sizeKey, ({ field, roles }) => field !== null && roles !== null, isRole);
  // Of several elements with the same box, such as a row and its group, prefer the one with the right role.
  yield* match(boxKey, isFree, ({ click }, node) => isTarget(node) && click?.role === node.role);
  yield* match(boxKey, isFree, ({ click }, node) => click === null || isTarget(node));
  yield* match(
    boxKey,
    ({ click }) => click?.isKnown === true,
    ({ click }, { role }) => click?.role === role,
  );
  const taken = new Set(nodes.filter(isTarget).map(({ source }) => (source?.box ? boxKey(source.box) : "")));
  // A wrapper with exactly the same box adds nothing to the node that is already there.
  return { recordOf, unmatched: [...unused].filter(({ field, box }) => field !== null || !taken.has(boxKey(box))) };
}

/** Removes and returns the first that fits. */
function take<One>(from: One[], fits: (one: One) => boolean): One | undefined {
  const at = from.findIndex(fits);
  return at === -1 ? undefined : from.splice(at, 1)[0];
}

function boxKey({ x, y, width, height }: Box): string {
  return `${x},${y},${width},${height}`;
}

function sizeKey({ width, height }: Box): string {
  return `${width},${height}`;
}

type RecordMatch = (record: ElementRecord, node: DraftNode) => boolean;

function isTarget({ role, source }: DraftNode): boolean {
  return source !== null && source.ref !== null && role !== "iframe";
}
