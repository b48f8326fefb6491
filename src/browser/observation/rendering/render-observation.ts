import { estimateTokens } from "../../../lib/estimate-tokens.ts";
import type { Observation } from "../observation.ts";
import { DETAILS, truncate } from "./describe-target.ts";
import { type RenderedTree, renderTree } from "./render-tree.ts";

interface RenderOptions {
  readonly maxTokens?: number;
}

/**
 * An observation as text for a model. What can be acted on begins with its ref. The viewport and what is near it are told
 * in full, the rest in outline; what is left out is counted at the end, so that it can be asked for.
 */
export function renderObservation(observation: Observation, { maxTokens = 6000 }: RenderOptions = {}): string {
  const header = renderHeader(observation);
  let text = "";
  for (const detail of DETAILS) {
    const tree = renderTree(observation, detail);
    text = [...header, "", ...tree.lines, ...renderLeftOut(tree)].join("\n");
    if (estimateTokens(text) <= maxTokens) return text;
  }
  return shorten(text.split("\n"), maxTokens);
}

function renderHeader({ url, title, tabs, dialog, scroll, viewport }: Observation): string[] {
  const bottom = Math.min(scroll.y + viewport.height, scroll.pageHeight);
  const lines = [`address: ${truncate(url, 300)}`, `title: ${truncate(title, 120)}`];
  if (tabs.length > 1) {
    lines.push(
      ...tabs.map(
        (tab) =>
          `tab ${tab.id}${tab.isCurrent ? " (this one)" : ""}: "${truncate(tab.title, 60)}" ${truncate(tab.url, 80)}`,
      ),
    );
  }
  if (dialog !== null)
    lines.push(`dialog: ${dialog.kind} "${truncate(dialog.message, 300)}", answer it before anything else`);
  if (scroll.pageHeight > viewport.height) lines.push(`in view: ${scroll.y} to ${bottom} of ${scroll.pageHeight} px`);
  return lines;
}

function renderLeftOut({ leftOut }: RenderedTree): string[] {
  const text = String(leftOut);
  return text === "" ? [] : ["", `Not told: ${text}. Use find, read or scroll.`];
}

/** The last resort for a screen that says more than fits: whole lines from the top, and how many are missing. */
function shorten(lines: readonly string[], maxTokens: number): string {
  const end = `… and N more lines of what is in view: ${0} with refs. Use find, read or scroll.`;
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
    `… and ${missing.length} more lines of what is in view, ${withRefs} of them with refs. Use find, read or scroll.`,
  ].join("\n");
}
