import { type DraftNode, draftText, walkFrame } from "./draft-node.ts";
import type { Box } from "./observed-node.ts";
import type { ClickRecord, ElementRecord } from "./page-facts.ts";

export interface PlacedTarget {
  readonly node: DraftNode;
  readonly click: ClickRecord;
}

/** Far more than a person would tell apart, so that a hostile page cannot make the tree endless. */
const MAX_TARGETS = 2000;

/**
 * Gives a node to what takes clicks but has none in the snapshot, such as a span with a handler that was run into the text
 * around it: the text is cut there.
 */
export function placeClickTargets(root: DraftNode, left: readonly ElementRecord[]): PlacedTarget[] {
  const nodes = [root, ...walkFrame(root)].filter(({ source }) => source !== null);
  const byBox = Map.groupBy(nodes, ({ source }) => toKey(source?.box ?? null));
  const placed: PlacedTarget[] = [];
  for (const { box, click, field } of left) {
    if (click === null || placed.length === MAX_TARGETS) continue;
    const node: DraftNode = { ...draftText(click.name), role: click.role, box: toVisible(box) };
    if (field !== null) {
      const { value, ...facts } = field;
      node.field = facts;
      node.value = value;
    }
    const hosts = click.within.flatMap((around) => (byBox.get(toKey(around)) ?? []).toReversed());
    insert(node, hosts, root);
    placed.push({ node, click });
  }
  return placed;
}

function toKey(box: Box | null): string {
  return box === null ? "" : `${box.x},${box.y},${box.width},${box.height}`;
}

function toVisible(box: Box): Box | null {
  return box.width === 0 && box.height === 0 ? null : box;
}

function insert(node: DraftNode, hosts: readonly DraftNode[], root: DraftNode): void {
  for (const host of hosts) {
    if (node.name !== "" && cutText(host, node)) return;
    if (host.children.length === 0 && host.name === node.name) break;
  }
  (hosts[0] ?? root).children.push(node);
}

function cutText(host: DraftNode, node: DraftNode): boolean {
  const at = host.children.findIndex((child) => child.role === "text" && findWord(child.name, node.name) !== -1);
  const text = host.children[at];
  if (text === undefined) return false;
  const start = findWord(text.name, node.name);
  const around = [text.name.slice(0, start).trim(), text.name.slice(start + node.name.length).trim()];
  const [before = "", after = ""] = around;
  const pieces = [before === "" ? [] : [draftText(before)], [node], after === "" ? [] : [draftText(after)]];
  host.children.splice(at, 1, ...pieces.flat());
  return true;
}

function findWord(text: string, word: string): number {
  const isWordChar = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}]/u.test(char);
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!isWordChar(text[at - 1]) && !isWordChar(text[at + word.length])) return at;
  }
  return -1;
}
