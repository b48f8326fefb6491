import { estimateTokens } from "../../../lib/estimate-tokens.ts";
import { isControlRole, type Observation, type ObservedNode, walk } from "../observation.ts";
import { DETAILS, truncate } from "./describe-target.ts";
import { type RenderedTree, renderTree } from "./render-tree.ts";

interface RenderOptions {
  readonly maxTokens?: number;
}

/**
 * Renders an observation as text for a model. Targets begin with their ref. The viewport and its surroundings are shown
 * in full, the rest in outline. The end says how much was omitted, so that the model can search for it.
 */
export function renderObservation(observation: Observation, { maxTokens = 6000 }: RenderOptions = {}): string {
  const header = renderHeader(observation);
  const inFront = leaveOutBehind(observation.root);
  let text = "";
  for (const detail of DETAILS) {
    const tree = renderTree({ ...observation, root: inFront.root }, detail);
    const rest = [...warnIfEmpty(tree, observation), ...renderBehind(inFront.count), ...renderOmissions(tree)];
    text = [...header, "", ...tree.lines, ...rest].join("\n");
    if (estimateTokens(text) <= maxTokens) return text;
  }
  return shorten(text.split("\n"), maxTokens);
}

function renderHeader({ url, title, tabs, dialog, scroll, viewport }: Observation): string[] {
  const bottom = Math.min(scroll.y + viewport.height, scroll.pageHeight);
  const lines = [`url: ${truncate(url, 300)}`, `title: ${truncate(title, 120)}`];
  if (tabs.length > 1) {
    lines.push(
      ...tabs.map(
        (tab) =>
          `tab ${tab.id}${tab.isCurrent ? " (current)" : ""}: "${truncate(tab.title, 60)}" ${truncate(tab.url, 80)}`,
      ),
    );
  }
  if (dialog !== null)
    lines.push(`dialog: ${dialog.kind} "${truncate(dialog.message, 300)}", answer it before anything else`);
  if (scroll.pageHeight > viewport.height) lines.push(`in view: ${scroll.y} to ${bottom} of ${scroll.pageHeight} px`);
  return lines;
}

/** An empty page and a page that cannot be shown must not look the same. */
function warnIfEmpty({ lines }: RenderedTree, { root }: Observation): string[] {
  const count = [...walk(root)].length - 1;
  if (lines.length > 0 || count === 0) return [];
  return [`Warning: none of the ${count} parts of this page could be shown here. Use read, find or look.`];
}

interface InFront {
  readonly root: ObservedNode;
  /** How many targets are left out. */
  readonly count: number;
}

/** Nobody can click what lies behind an open dialog: its controls are left out and counted, its text can still be read. */
function leaveOutBehind(root: ObservedNode): InFront {
  let count = 0;
  const keep = (node: ObservedNode, isFrameBehind: boolean): ObservedNode[] => {
    const isBehind = isFrameBehind || node.isBehind === true;
    if (isBehind && node.ref !== null) count++;
    if (isBehind && isControlRole(node.role)) return [];
    const isInFrame = isFrameBehind || (isBehind && node.role === "iframe");
    const children = node.children.flatMap((child) => keep(child, isInFrame));
    // An item of which all was left out.
    if (node.name === "" && node.children.length > 0 && children.length === 0 && node !== root) return [];
    return [{ ...node, ref: isBehind ? null : node.ref, children }];
  };
  if (!walk(root).some(({ node }) => node.isBehind)) return { root, count };
  const [kept = root] = keep(root, false);
  return { root: kept, count };
}

function renderBehind(count: number): string[] {
  if (count === 0) return [];
  return [
    "",
    `${count} ${count === 1 ? "control" : "controls"} behind the dialog cannot be used now and are not shown.`,
  ];
}

function renderOmissions({ omissions }: RenderedTree): string[] {
  const text = String(omissions);
  return text === "" ? [] : ["", `Not shown: ${text}. Use find, read or scroll.`];
}

/** The last resort for a viewport that does not fit: whole lines from the top, and the number of missing ones. */
function shorten(lines: readonly string[], maxTokens: number): string {
  const end = "… and N more lines in view, N of them with refs. Use find, read or scroll.";
  let left = maxTokens - estimateTokens(end) - 4;
  const kept: string[] = [];
  for (const line of lines) {
    left -= estimateTokens(line) + 1;
    if (left < 0) break;
    kept.push(line);
  }
  const missing = lines.slice(kept.length);
  const withRefs = missing.filter((line) => /(^|[ {])(f\d+)?[ec]\d+ /.test(line)).length;
  return [
    ...kept,
    `… and ${missing.length} more lines in view, ${withRefs} of them with refs. Use find, read or scroll.`,
  ].join("\n");
}
