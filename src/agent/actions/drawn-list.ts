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
  list: PinnedElement,
  wanted: readonly string[],
  context: ActionContext,
): Promise<void> {
  const known = new Set(listChoices(context.observation).map(({ ref }) => ref));
  for (const label of wanted) await chooseOne(list, label, known, context);
}

async function chooseOne(
  list: PinnedElement,
  wanted: string,
  known: ReadonlySet<string>,
  context: ActionContext,
): Promise<void> {
  const { session, signal } = context;
  const isOpen = list.role === "listbox" || (await isExpanded(list));
  if (!isOpen) await clickElement(list, { signal });
  let match = await waitForChoice(wanted, known, context);
  if (match.kind === "none" && (await canBeTypedInto(list))) {
    await list.handle.fill(wanted, { timeout: PATIENCE_MS, signal });
    match = await waitForChoice(wanted, known, context);
  }
  if (match.kind !== "one") throw new ActionFailed("not_found", match.message);
  const option = await session.pin(match.choice.ref);
  await clickElement(option, { signal });
  await checkChosen(option, signal);
}

/** Options of the list that was just opened come first; another list on the page may have one of the same name. */
async function waitForChoice(
  wanted: string,
  known: ReadonlySet<string>,
  { session, signal }: ActionContext,
): Promise<Match<Choice>> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const choices = listChoices(await session.observe(signal));
    const fresh = choices.filter(({ ref }) => !known.has(ref));
    const match = matchOption(wanted, fresh.length > 0 ? fresh : choices);
    if (match.kind !== "none" || performance.now() > deadline) return match;
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

function listChoices({ root }: Observation): Choice[] {
  const choices: Choice[] = [];
  for (const { node } of walk(root)) {
    if (node.ref !== null && OPTION_ROLES.has(node.role)) choices.push({ label: node.name, ref: node.ref });
  }
  return choices;
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
