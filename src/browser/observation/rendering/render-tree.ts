import { type Box, isControlRole, type ObservedNode, walk } from "../observation.ts";
import { describeStates } from "../observation-text.ts";
import type { PageView } from "../page-observer.ts";
import { type Detail, describeTarget, isGroup, isTarget, LANDMARKS, truncate, unfold } from "./describe-target.ts";
import { chooseSimilar, type SimilarNodes, toParts, withoutLabels } from "./similar-nodes.ts";

export interface RenderedTree {
  readonly lines: readonly string[];
  readonly omissions: Omissions;
}

export function renderTree({ root, url, viewport }: PageView, detail: Detail): RenderedTree {
  const omissions = new Omissions();
  let beyondLeft = detail.maxBeyond;

  function renderAll(nodes: readonly ObservedNode[], box: Box | null): string[] {
    return toParts(nodes, detail.maxSimilar).flatMap((part) =>
      part.kind === "one" ? renderNode(part.node, part.node.box ?? box) : renderSimilar(part, box),
    );
  }

  function renderSimilar({ nodes, noun }: SimilarNodes, box: Box | null): string[] {
    const shown = chooseSimilar(nodes, detail.maxSimilar, (node) => isWithin(node.box, viewport.height, 0));
    const lines: string[] = [];
    let skipped = 0;
    const addSkipped = () => {
      if (skipped > 0) lines.push(`… ${skipped} more ${noun}, use find or read`);
      skipped = 0;
    };
    for (const node of nodes) {
      if (shown.has(node)) {
        addSkipped();
        lines.push(...renderNode(node, node.box ?? box));
      } else {
        skipped++;
        omissions.add(node);
      }
    }
    addSkipped();
    return lines;
  }

  function renderNode(node: ObservedNode, box: Box | null): string[] {
    const isNear = isWithin(box, viewport.height, detail.screensAround);
    if (!isNear && !(isShownBeyond(node, detail) && beyondLeft-- > 0)) return renderBeyond(node, box);
    if (node.role === "text") return [truncate(node.name, detail.maxTextChars)];
    if (isTarget(node) && !isGroup(node, detail)) return renderTarget(node, box);
    if (isOneLine(node)) return [toInline(node, url, detail)].filter((line) => line !== "");
    return renderGroup(node, box);
  }

  /** A node that is too far away to be shown may contain nodes that are shown. */
  function renderBeyond(node: ObservedNode, box: Box | null): string[] {
    if (isControlRole(node.role)) {
      omissions.add(node);
      return [];
    }
    omissions.addOne(node);
    return renderAll(node.children, box);
  }

  function renderTarget(node: ObservedNode, box: Box | null): string[] {
    const { outer, inner } = unfold(node);
    if (outer === null) return renderAll(inner, box);
    return [describeTarget(outer, url, detail), ...renderAll(inner, box).map(indent)];
  }

  function renderGroup(node: ObservedNode, box: Box | null): string[] {
    const inner = renderAll(node.children, box);
    if (node.ref !== null)
      return [[node.ref, "clickable", node.role, ...describeStates(node.states)].join(" "), ...inner.map(indent)];
    if (!LANDMARKS.has(node.role) && node.name === "") return inner;
    if (inner.length === 0 && node.name === "") return [];
    const role = node.role === "iframe" ? "frame" : node.role;
    return [describeTarget({ ...node, role }, url, detail), ...inner.map(indent)];
  }

  return { lines: renderAll(root.children, null), omissions };
}

/** Nodes without a box inherit their parent's position; without any position they count as in view. */
function isWithin(box: Box | null, height: number, screensAround: number): boolean {
  const reach = screensAround * height;
  return box === null || (box.y + box.height > -reach && box.y < height + reach);
}

function indent(line: string): string {
  return ` ${line}`;
}

function isShownBeyond(node: ObservedNode, { beyond }: Detail): boolean {
  if (beyond === "nothing") return false;
  if (node.role === "heading" || (LANDMARKS.has(node.role) && node.name !== "")) return true;
  if (beyond === "headings") return false;
  if (beyond === "fields") return isControlRole(node.role) && node.role !== "link" && node.role !== "option";
  return isTarget(node);
}

/** The content of these roles is rendered as one line. */
const LINES: ReadonlySet<string> = new Set([
  "caption",
  "cell",
  "code",
  "columnheader",
  "definition",
  "emphasis",
  "figure",
  "gridcell",
  "heading",
  "img",
  "listitem",
  "note",
  "paragraph",
  "row",
  "rowheader",
  "strong",
  "term",
  "time",
]);
const BLOCKS: ReadonlySet<string> = new Set(["heading", "list", "listitem", "paragraph", "row", ...LANDMARKS]);
const MAX_LINE_NODES = 40;
/** A row may have many columns, with some elements in each. */
const MAX_ROW_NODES = 120;

function isOneLine(node: ObservedNode): boolean {
  if (!LINES.has(node.role)) return false;
  const maxNodes = node.role === "row" ? MAX_ROW_NODES : MAX_LINE_NODES;
  let count = 0;
  for (const { node: inner } of walk(node)) {
    if (++count > maxNodes || (inner !== node && BLOCKS.has(inner.role) && inner.children.length > 0)) return false;
  }
  return true;
}

/** A node with its content as running text. Targets are in braces. */
function toInline(node: ObservedNode, pageUrl: string, detail: Detail): string {
  if (node.role === "text") return truncate(node.name, detail.maxTextChars);
  const isWhole = isTarget(node) && !isGroup(node, detail);
  if (!isWhole) {
    const line = decorate(node, toInlineContent(node, pageUrl, detail), detail);
    return node.ref === null ? line : `${node.ref} ${line}`;
  }
  const { outer, inner } = unfold(node);
  const target = outer === null ? "" : `{${describeTarget(outer, pageUrl, detail)}}`;
  return join([target, ...inner.map((child) => toInline(child, pageUrl, detail))]);
}

function toInlineContent({ role, name, children }: ObservedNode, pageUrl: string, detail: Detail): string {
  if (children.length === 0) return truncate(name, detail.maxTextChars);
  const parts = withoutLabels(children).map((child) => toInline(child, pageUrl, detail));
  return role === "row" ? parts.join(" | ") : join(parts);
}

function decorate({ role, name, states, children }: ObservedNode, inner: string, { maxNameChars }: Detail): string {
  switch (role) {
    case "heading":
      return inner === "" ? "" : `${"#".repeat(states.level ?? 2)} ${inner}`;
    case "listitem":
      return `- ${inner}`;
    case "row":
      return `| ${inner}${states.selected ? " [selected]" : ""}`;
    case "columnheader":
      return states.sort === undefined ? inner : `${inner} [sorted ${states.sort}]`;
    case "img":
      if (name === "") return inner;
      return join([`img "${truncate(name, maxNameChars)}"`, children.length === 0 ? "" : inner]);
    default:
      return inner;
  }
}

function join(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}

/** Counts what a rendering omits. */
class Omissions {
  readonly #counts = new Map<string, number>();

  /** The node and everything in it. */
  add(node: ObservedNode): void {
    this.addOne(node);
    for (const child of node.children) this.add(child);
  }

  addOne({ role, ref, name, value }: ObservedNode): void {
    const kind = kindOf(role, ref);
    if (kind !== null && (name !== "" || ref !== null || value !== null))
      this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  toString(): string {
    return [...this.#counts].map(([kind, count]) => `${count} ${kind}${count === 1 ? "" : "s"}`).join(", ");
  }
}

function kindOf(role: string, ref: string | null): string | null {
  if (role === "text" || role === "heading" || role === "link" || role === "button") return role;
  if (isControlRole(role) && role !== "option") return "field";
  return ref === null ? null : "clickable element";
}
