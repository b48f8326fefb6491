import { setTimeout as sleep } from "node:timers/promises";
import type { ElementHandle } from "playwright-core";
import { type Observation, walk } from "../../browser/observation/observation.ts";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import { type ActionContext, ActionFailed, isGone } from "./action.ts";
import { findField, writeField } from "./field.ts";
import { quote, toLettersAndDigits, toPlain } from "./plain-text.ts";
import { clickElement } from "./pointer.ts";

const TIMEOUT_MS = 3000;

export function isNativeOption(handle: ElementHandle<Element>): Promise<boolean> {
  return handle.evaluate((node) => node.localName === "option" && node.closest("select") !== null);
}

/** Selects one option of a <select>, and keeps the others in a list that allows several. */
export async function chooseOption(option: ElementHandle<Element>, signal: AbortSignal): Promise<void> {
  const index = await option.evaluate((node) => (node as HTMLOptionElement).index);
  const list = await findNativeSelect(option);
  if (list === null) throw new ActionFailed("not_found", "The option is not in a list.");
  const { isMultiple, chosen } = await list.evaluate(describeList);
  await setOptions(list, isMultiple ? [...new Set([...chosen, index])] : [index], signal);
}

/** The <select> that an element is or belongs to; null for custom lists. */
export async function findNativeSelect(handle: ElementHandle<Element>): Promise<ElementHandle<Element> | null> {
  const found = await handle.evaluateHandle((node) => {
    const control = node.localName === "label" ? (node as HTMLLabelElement).control : null;
    return (control ?? node).closest("select");
  });
  return found.asElement();
}

/** Selects exactly these options. */
export async function selectNative(
  list: ElementHandle<Element>,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { isMultiple, options } = await list.evaluate(describeList);
  if (wanted.length > 1 && !isMultiple)
    throw new ActionFailed("invalid_input", "select: only one option can be selected in this list.");
  const chosen = wanted.map((label) => findOption(label, options));
  const disabled = chosen.find((option) => option.isDisabled);
  if (disabled !== undefined) throw new ActionFailed("disabled", `The option ${quote(disabled.label)} is disabled.`);
  await setOptions(list, [...new Set(chosen.map((option) => option.index))], signal);
}

/** Whether the browser itself suggests values for the field (<datalist>). They are not part of the page. */
export function hasSuggestions(handle: ElementHandle<Element>): Promise<boolean> {
  return handle.evaluate((node) => ((node as HTMLInputElement).list ?? null) !== null);
}

export async function selectSuggestion(
  element: PinnedElement,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const [label = ""] = wanted;
  if (wanted.length > 1)
    throw new ActionFailed("invalid_input", "select: only one option can be selected in this list.");
  const options = await element.handle.evaluate(listSuggestions);
  await writeField(await findField(element), findOption(label, options).value, signal);
}

/** Runs in the page. */
function listSuggestions(node: Element): NativeOption[] {
  return [...((node as HTMLInputElement).list?.options ?? [])].map((option, index) => ({
    index,
    label: option.label || option.value,
    value: option.value,
    isDisabled: option.disabled,
  }));
}

interface NativeOption {
  readonly index: number;
  readonly label: string;
  readonly value: string;
  readonly isDisabled: boolean;
}

function findOption(label: string, options: readonly NativeOption[]): NativeOption {
  const match = matchOption(label, options);
  if (match.kind === "one") return match.choice;
  const byValue = options.find((option) => option.value === label);
  if (byValue === undefined) throw new ActionFailed("not_found", match.message);
  return byValue;
}

/** Runs in the page. */
function describeList(node: Element): { isMultiple: boolean; options: NativeOption[]; chosen: number[] } {
  const { multiple: isMultiple, options, selectedOptions } = node as HTMLSelectElement;
  return {
    isMultiple,
    options: [...options].map((option) => ({
      index: option.index,
      label: option.label || option.text,
      value: option.value,
      isDisabled: option.matches(":disabled"),
    })),
    chosen: [...selectedOptions].map((option) => option.index),
  };
}

async function setOptions(
  list: ElementHandle<Element>,
  indexes: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  await list.selectOption(
    indexes.map((index) => ({ index })),
    { timeout: TIMEOUT_MS, signal },
  );
  const held = await readChosen(list);
  if (held !== null && indexes.some((index) => !held.includes(index))) {
    throw new ActionFailed("no_effect", "The page reverted the selection. Check what the list shows now.");
  }
}

/** Null when the selection has opened another page or rebuilt the list. */
async function readChosen(list: ElementHandle<Element>): Promise<readonly number[] | null> {
  try {
    return (await list.evaluate((node) => node.isConnected)) ? (await list.evaluate(describeList)).chosen : null;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

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

/** Selects in a list that is not a <select>: opens it, finds the option among those that appear, clicks it. */
export async function selectInCustomList(
  list: CustomList,
  labels: readonly string[],
  context: ActionContext,
): Promise<void> {
  for (const label of labels) await chooseOne(list, label, context);
}

interface CustomList extends PinnedElement {
  readonly ref: string;
}

async function chooseOne(list: CustomList, wanted: string, context: ActionContext): Promise<void> {
  const { session, signal } = context;
  const isOpen = list.role === "listbox" || (await isExpanded(list));
  if (!isOpen) await clickElement(list, { signal });
  let match = await waitForChoice(list, wanted, isOpen, context);
  if (match.kind === "none" && (await typeInto(list, wanted, signal))) {
    match = await waitForChoice(list, wanted, isOpen, context);
  }
  if (match.kind !== "one") throw new ActionFailed("not_found", match.message);
  const option = await session.pin(match.choice.ref);
  await clickElement(option, { signal });
  await checkChosen(option, signal);
}

async function waitForChoice(
  list: CustomList,
  wanted: string,
  wasOpen: boolean,
  { session, observation, signal }: ActionContext,
): Promise<Match<Choice>> {
  // Another list on the page may have an option of the same name, so options that were there before count last.
  const known = new Set(wasOpen ? [] : listChoices(observation, list).map(({ ref }) => ref));
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const now = await session.observe(signal);
    const choices = listChoices(now, list);
    const fresh = choices.filter(({ ref }) => !known.has(ref));
    const isLate = performance.now() > deadline;
    const match = matchOption(wanted, isLate && fresh.length === 0 ? choices : fresh);
    if (match.kind !== "none") return match;
    const plain = choices.length === 0 ? matchOption(wanted, listAppeared(observation, now)) : match;
    if (plain.kind === "one" || isLate) return plain;
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

/** Targets that opening the list has added, for lists whose options have no role. Refs are new each time, names are not. */
function listAppeared(before: Observation, now: Observation): Choice[] {
  const known = new Set(listTargets(before).map(({ label }) => label));
  return listTargets(now).filter(({ label }) => !known.has(label));
}

function listTargets({ root }: Observation): Choice[] {
  return [...walk(root)].flatMap(({ node }) => (node.ref === null ? [] : [{ label: node.name, ref: node.ref }]));
}

/** Options inside the list itself, if it has any; else all on the page, because many lists open elsewhere in the DOM. */
function listChoices({ root }: Observation, { ref }: CustomList): Choice[] {
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

/** Many lists only show what matches the text typed into them. False when the list takes no text. */
async function typeInto(list: PinnedElement, text: string, signal: AbortSignal): Promise<boolean> {
  try {
    await writeField(await findField(list), text, signal);
    return true;
  } catch (error) {
    if (error instanceof ActionFailed) return false;
    throw error;
  }
}

/** An option that exposes its state, and stays on the page, must become selected. */
async function checkChosen({ handle, name }: PinnedElement, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS / 2;
  try {
    while (await handle.evaluate(isShownAsNotSelected)) {
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
function isShownAsNotSelected(node: Element): boolean {
  if (!node.isConnected || node.getClientRects().length === 0) return false;
  const state = node.getAttribute("aria-selected") ?? node.getAttribute("aria-checked");
  return state === "false";
}

const MAX_LISTED = 30;

type Match<Choice> =
  | { readonly kind: "one"; readonly choice: Choice }
  /** The message lists the options. */
  | { readonly kind: "none" | "several"; readonly message: string };

/** The option that a label means: the same words first, then the only one that starts with or contains them. */
function matchOption<Choice extends { readonly label: string }>(
  wanted: string,
  choices: readonly Choice[],
): Match<Choice> {
  const words = toPlain(wanted);
  const tests: ((label: string) => boolean)[] = [
    (label) => label === wanted,
    (label) => toPlain(label) === words,
    (label) => toLettersAndDigits(label) !== "" && toLettersAndDigits(label) === toLettersAndDigits(wanted),
    (label) => words !== "" && toPlain(label).startsWith(words),
    (label) => words !== "" && toPlain(label).includes(words),
  ];
  for (const test of tests) {
    const [choice, ...more] = choices.filter(({ label }) => test(label));
    if (choice === undefined) continue;
    // Options with the same label cannot be told apart: the first is as good as any.
    if (more.every(({ label }) => label === choice.label)) return { kind: "one", choice };
    const several = `${quote(wanted)} matches several options: ${list([choice, ...more])}. Use a full name.`;
    return { kind: "several", message: several };
  }
  return { kind: "none", message: `There is no option ${quote(wanted)}. Available: ${list(choices) || "none"}.` };
}

function list(choices: readonly { readonly label: string }[]): string {
  const shown = choices.slice(0, MAX_LISTED).map(({ label }) => quote(label, 60));
  const rest = choices.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}
