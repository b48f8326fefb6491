import { type Box, textOf } from "./observation.ts";
import type { ClickRecord, ElementRecord } from "./page-facts.ts";
import { type DraftNode, draftText, isWordChar, walkFrame } from "./snapshot.ts";

export interface PlacedTarget {
  readonly node: DraftNode;
  readonly record: ElementRecord;
}

/** Far more than any real page needs. Keeps a hostile page from making the tree endless. */
const MAX_TARGETS = 2000;

/**
 * Adds nodes for click targets that the snapshot lacks, such as a span with a click handler whose text was merged into the
 * surrounding text. The surrounding text is split there.
 */
export function* placeClickTargets(
  root: DraftNode,
  unmatched: readonly ElementRecord[],
  issueRef: () => string,
): Generator<void, PlacedTarget[]> {
  const lacking = unmatched.filter(({ click, drawn }) => click !== null && !click.isKnown && !drawn?.isPart);
  if (lacking.length === 0) return [];
  const nodes = [root, ...walkFrame(root)].filter(({ source }) => source !== null);
  // Outer targets come before inner ones, so a placed target can be the host of another.
  const byBox = Map.groupBy(nodes, ({ source }) => toKey(source?.box ?? null));
  const placed: PlacedTarget[] = [];
  for (const record of lacking.slice(0, MAX_TARGETS)) {
    yield;
    if (record.click === null) continue;
    const node = toNode(record, record.click, issueRef());
    const hosts = record.click.within.flatMap((around) => (byBox.get(toKey(around)) ?? []).toReversed());
    insert(node, hosts, root);
    placed.push({ node, record });
    const key = toKey(record.box);
    byBox.set(key, [...(byBox.get(key) ?? []), node]);
  }
  return placed;
}

function toNode({ box, field, states, words }: ElementRecord, { role, name }: ClickRecord, ref: string): DraftNode {
  // A description of its looks is no text of the page. It becomes its name when all other names are known.
  const text = words === "" && !states.droppable ? "" : name;
  const node = { ...draftText(text), role, ref, states, box: box.width === 0 && box.height === 0 ? null : box };
  if (field === null) return node;
  const { value, isHint: _, ...facts } = field;
  return { ...node, field: facts, value };
}

function toKey(box: Box | null): string {
  return box === null ? "" : `${box.x},${box.y},${box.width},${box.height}`;
}

/** Replaces its text where that can be found; else inserts the node by position. */
function insert(node: DraftNode, hosts: readonly DraftNode[], root: DraftNode): void {
  const text = node.value ?? node.name;
  if (node.value !== null && hosts[0] !== undefined && replaceText(hosts[0], node, text)) return;
  for (const host of hosts) {
    if (text !== "" && cutText(host, node, text)) return;
    if (host.children.length === 0 && host.name === text) break;
  }
  const host = hosts[0] ?? root;
  if (node.box === null) host.children.push(node);
  else if (!wrap(host, node, node.box)) insertInOrder(host, node, node.box);
}

/** Moves the children inside the node's box into the node. False when there are none. */
function wrap({ children }: DraftNode, node: DraftNode, box: Box): boolean {
  const isInside = ({ box: other }: DraftNode) => other !== null && contains(box, other);
  const first = children.findIndex(isInside);
  if (first === -1) return false;
  const end = children.findLastIndex(isInside) + 1;
  const inside = children.slice(first, end);
  if (!inside.every((child) => child.box === null || isInside(child))) return false;
  node.children = children.splice(first, end - first, node);
  return true;
}

function contains(outer: Box, inner: Box): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

/** Before the first child that begins below it. */
function insertInOrder({ children }: DraftNode, node: DraftNode, { y, height }: Box): void {
  const at = children.findIndex(({ box }) => box !== null && box.y >= y + height);
  children.splice(at === -1 ? children.length : at, 0, node);
}

/** The snapshot has the content of a rich-text editor as separate blocks. */
function replaceText(host: DraftNode, node: DraftNode, text: string): boolean {
  const at = host.children.findIndex((child) => text !== "" && child.role !== "text" && textOf(child) === text);
  if (at === -1) return host.children.some((child) => child.children.length > 0 && replaceText(child, node, text));
  host.children.splice(at, 1, node);
  return true;
}

function cutText(host: DraftNode, node: DraftNode, words: string): boolean {
  const at = host.children.findIndex((child) => child.role === "text" && findWords(child.name, words) !== -1);
  const text = host.children[at];
  if (text === undefined) return false;
  const start = findWords(text.name, words);
  const before = text.name.slice(0, start).trim();
  const after = text.name.slice(start + words.length).trim();
  const pieces = [before === "" ? [] : [draftText(before)], [node], after === "" ? [] : [draftText(after)]];
  host.children.splice(at, 1, ...pieces.flat());
  return true;
}

function findWords(text: string, words: string): number {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    if (!isWordChar(text[at - 1]) && !isWordChar(text[at + words.length])) return at;
  }
  return -1;
}
