import { isControlRole } from "../control-roles.ts";
import type { Box, ObservedNode } from "../observed-node.ts";
import type { PageView } from "../page-observer.ts";
import { type Alike, chooseAlike, toParts } from "./alike.ts";
import { cap, describeThing, isGroup, isThing } from "./describe-thing.ts";
import type { Detail } from "./detail.ts";
import { isOneLine, toInline } from "./inline.ts";
import { LANDMARKS } from "./landmarks.ts";
import { LeftOut } from "./left-out.ts";
import { unfold } from "./unfold.ts";

export interface RenderedTree {
  readonly lines: readonly string[];
  readonly leftOut: LeftOut;
}

export function renderTree({ root, url, viewport }: PageView, detail: Detail): RenderedTree {
  const leftOut = new LeftOut();
  let beyondLeft = detail.maxBeyond;

  function renderAll(nodes: readonly ObservedNode[], box: Box | null): string[] {
    return toParts(nodes, detail.maxAlike).flatMap((part) =>
      part.kind === "one" ? renderNode(part.node, part.node.box ?? box) : renderAlike(part, box),
    );
  }

  function renderAlike({ nodes, noun }: Alike, box: Box | null): string[] {
    const shown = chooseAlike(nodes, detail.maxAlike, (node) => isWithin(node.box, viewport.height, 0));
    const lines: string[] = [];
    let skipped = 0;
    const tellSkipped = () => {
      if (skipped > 0) lines.push(`… ${skipped} more ${noun}, use find or read`);
      skipped = 0;
    };
    for (const node of nodes) {
      if (shown.has(node)) {
        tellSkipped();
        lines.push(...renderNode(node, node.box ?? box));
      } else {
        skipped++;
        leftOut.add(node);
      }
    }
    tellSkipped();
    return lines;
  }

  function renderNode(node: ObservedNode, box: Box | null): string[] {
    const isNear = isWithin(box, viewport.height, detail.screensAround);
    if (!isNear && !(isToldBeyond(node, detail) && beyondLeft-- > 0)) return renderBeyond(node, box);
    if (node.role === "text") return [cap(node.name, detail.maxTextChars)];
    if (isThing(node) && !isGroup(node, detail)) return renderThing(node, box);
    if (isOneLine(node)) return [toInline(node, url, detail)].filter((line) => line !== "");
    return renderGroup(node, box);
  }

  /** What is too far away to be told may hold what is told. */
  function renderBeyond(node: ObservedNode, box: Box | null): string[] {
    leftOut.addOne(node);
    return isControlRole(node.role) ? [] : renderAll(node.children, box);
  }

  function renderThing(node: ObservedNode, box: Box | null): string[] {
    const { outer, inner } = unfold(node);
    if (outer === null) return renderAll(inner, box);
    return [describeThing(outer, url, detail), ...renderAll(inner, box).map(indent)];
  }

  function renderGroup(node: ObservedNode, box: Box | null): string[] {
    const inner = renderAll(node.children, box);
    if (node.ref !== null) return [`${node.ref} clickable ${node.role}`, ...inner.map(indent)];
    if (!LANDMARKS.has(node.role) && node.name === "") return inner;
    if (inner.length === 0 && node.name === "") return [];
    const role = node.role === "iframe" ? "frame" : node.role;
    return [describeThing({ ...node, role }, url, detail), ...inner.map(indent)];
  }

  return { lines: renderAll(root.children, null), leftOut };
}

/** What has no box of its own is where that is which it stands in. */
function isWithin(box: Box | null, height: number, screensAround: number): boolean {
  const reach = screensAround * height;
  return box === null || (box.y + box.height > -reach && box.y < height + reach);
}

function indent(line: string): string {
  return ` ${line}`;
}

function isToldBeyond(node: ObservedNode, { beyond }: Detail): boolean {
  if (beyond === "nothing") return false;
  if (node.role === "heading" || (LANDMARKS.has(node.role) && node.name !== "")) return true;
  if (beyond === "headings") return false;
  if (beyond === "fields") return isControlRole(node.role) && node.role !== "link" && node.role !== "option";
  return isThing(node);
}
