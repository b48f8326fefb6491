import { setTimeout as sleep } from "node:timers/promises";
import type { Observation } from "../../browser/observation/observation.ts";
import { walk } from "../../browser/observation/tree.ts";
import type { PinnedElement } from "../../browser/session/browser-session.ts";
import { type ActionContext, ActionFailed } from "./action.ts";
import { clickElement } from "./click-element.ts";
import { type Match, matchOption } from "./match-option.ts";
import { quote } from "./plain-text.ts";
import { isGone } from "./playwright-error.ts";

const OPTION_ROLES: ReadonlySet<string> = new Set([
  "option",
  "menuitem",
  "menuitemradio",
  "menuitemcheckbox",
  "treeitem",
  "radio",
]);
const PATIENCE_MS = 2500;
const PAUSE_MS = 100;

interface Choice {
  readonly label: string;
  readonly ref: string;
}

/** Chooses in a list that the site draws itself: opens it, finds the option among what then stands there, clicks it. */
export async function selectInDrawnList(
  list: DrawnList,
  wanted: readonly string[],
  context: ActionContext,
): Promise<void> {
  for (const label of wanted) await chooseOne(list, label, context);
}

export interface DrawnList extends PinnedElement {
  readonly ref: string;
}

async function chooseOne(list: DrawnList, wanted: string, context: ActionContext): Promise<void> {
  const { session, signal } = context;
  const isOpen = list.role === "listbox" || (await isExpanded(list));
  if (!isOpen) await clickElement(list, { signal });
  // Another list on the page may have an option of the same name: those that were there before do not count at first.
  const before = isOpen ? [] : listChoices(context.observation, list);
  let match = await waitForChoice(list, wanted, before, context);
  if (match.kind === "none" && (await canBeTypedInto(list))) {
    await list.handle.fill(wanted, { timeout: PATIENCE_MS, signal });
    match = await waitForChoice(list, wanted, before, context);
  }
  if (match.kind !== "one") throw new ActionFailed("not_found", match.message);
  const option = await session.pin(match.choice.ref);
  await clickElement(option, { signal });
  await checkChosen(option, signal);
}

async function waitForChoice(
  list: DrawnList,
  wanted: string,
  before: readonly Choice[],
  { session, signal }: ActionContext,
): Promise<Match<Choice>> {
  const known = new Set(before.map(({ ref }) => ref));
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const choices = listChoices(await session.observe(signal), list);
    const fresh = choices.filter(({ ref }) => !known.has(ref));
    const isLate = performance.now() > deadline;
    const match = matchOption(wanted, isLate && fresh.length === 0 ? choices : fresh);
    if (match.kind !== "none" || isLate) return match;
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

/** Options inside the list itself, where it has any; else all on the page, because many lists open somewhere else. */
function listChoices({ root }: Observation, { ref }: DrawnList): Choice[] {
  const inside: Choice[] = [];
  const all: Choice[] = [];
  for (const { node, ancestors } of walk(root)) {
    if (node.ref === null || !OPTION_ROLES.has(node.role)) continue;
    const choice = { label: node.name, ref: node.ref };
    all.push(choice);
    if (ancestors.some((ancestor) => ancestor.ref === ref)) inside.push(choice);
  }
  return inside.length > 0 ? inside : all;
}

function isExpanded({ handle }: PinnedElement): Promise<boolean> {
  return handle.evaluate((node) => node.getAttribute("aria-expanded") === "true");
}

function canBeTypedInto({ handle }: PinnedElement): Promise<boolean> {
  return handle.evaluate((node) => node.matches("input:not([readonly]):not([type=button])"));
}

/** An option that says whether it is selected, and goes on standing there, must say so. */
async function checkChosen({ handle, name }: PinnedElement, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS / 2;
  try {
    while (await handle.evaluate(saysItIsNotChosen)) {
      if (performance.now() > deadline) {
        throw new ActionFailed("no_effect", `The option ${quote(name)} was clicked and is still not selected.`);
      }
      await sleep(PAUSE_MS, undefined, { signal });
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Runs in the page. */
function saysItIsNotChosen(node: Element): boolean {
  if (!node.isConnected || node.getClientRects().length === 0) return false;
  const state = node.getAttribute("aria-selected") ?? node.getAttribute("aria-checked");
  return state === "false";
}
