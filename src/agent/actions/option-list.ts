import type { PageElement } from "../../browser/observation/page-element.ts";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import { ActionFailed, isGone } from "./action.ts";
import { findField, writeField } from "./field.ts";
import { matchOption } from "./match-option.ts";
import { quote } from "./plain-text.ts";

const TIMEOUT_MS = 3000;

export function isNativeOption(handle: PageElement): Promise<boolean> {
  return handle.evaluate((node) => node.localName === "option" && node.closest("select") !== null);
}

/** Selects one option of a <select>, and keeps the others in a list that allows several. */
export async function chooseOption(option: PageElement, signal: AbortSignal): Promise<void> {
  const index = await option.evaluate((node) => (node as HTMLOptionElement).index);
  const list = await findNativeSelect(option);
  if (list === null) throw new ActionFailed("not_found", "The option is not in a list.");
  const { isMultiple, chosen } = await list.evaluate(describeList);
  await setOptions(list, isMultiple ? [...new Set([...chosen, index])] : [index], signal);
}

/** The <select> that an element is or belongs to; null for custom lists. */
export async function findNativeSelect(handle: PageElement): Promise<PageElement | null> {
  if (await handle.evaluate((node) => node.localName === "select")) return handle;
  return await handle.find((node) => {
    const control = node.localName === "label" ? (node as HTMLLabelElement).control : null;
    return (control ?? node).closest("select");
  });
}

/**
 * What a page draws in place of a <select> that it has hidden from view, if that opens a list. Its list may have options
 * that the <select> gets only when they are chosen.
 */
export function findDrawnControl(list: PageElement): Promise<PageElement | null> {
  return list.find(findDrawnNode);
}

/** Runs in the page. */
function findDrawnNode(node: Element): Element | null {
  const { width, height } = node.getBoundingClientRect();
  if (width > 2 && height > 2 && getComputedStyle(node).opacity !== "0") return null;
  const OPENERS = "[role=combobox], [aria-haspopup=listbox], [aria-haspopup=true][aria-expanded]";
  const around = [node.nextElementSibling, node.previousElementSibling, node.parentElement];
  for (const place of around) {
    const opener = place?.matches(OPENERS) ? place : (place?.querySelector(OPENERS) ?? null);
    if (opener !== null && opener !== node) return opener;
  }
  return null;
}

/** Selects exactly these options. */
export async function selectNative(list: PageElement, wanted: readonly string[], signal: AbortSignal): Promise<void> {
  const { isMultiple, options } = await list.evaluate(describeList);
  if (wanted.length > 1 && !isMultiple)
    throw new ActionFailed("invalid_input", "select: only one option can be selected in this list.");
  const chosen = wanted.map((label) => findOption(label, options));
  const disabled = chosen.find((option) => option.isDisabled);
  if (disabled !== undefined) throw new ActionFailed("disabled", `The option ${quote(disabled.label)} is disabled.`);
  await setOptions(list, [...new Set(chosen.map((option) => option.index))], signal);
}

/** Whether the browser itself suggests values for the field (<datalist>). They are not part of the page. */
export function hasSuggestions(handle: PageElement): Promise<boolean> {
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

async function setOptions(list: PageElement, indexes: readonly number[], signal: AbortSignal): Promise<void> {
  if (!(await list.evaluate(selectAtOnce, indexes))) {
    const options = indexes.map((index) => ({ index }));
    await (await list.toHandle()).selectOption(options, { timeout: TIMEOUT_MS, signal });
  }
  const held = await readChosen(list);
  if (held !== null && indexes.some((index) => !held.includes(index))) {
    throw new ActionFailed("no_effect", "The page reverted the selection. Check what the list shows now.");
  }
}

/** Runs in the page. Selects as the browser does it, with its events. False when the list cannot be used now. */
function selectAtOnce(node: Element, indexes: readonly number[]): boolean {
  const list = node as HTMLSelectElement;
  const { width, height } = node.getBoundingClientRect();
  const isShown = width > 0 && height > 0 && node.checkVisibility({ visibilityProperty: true });
  if (!isShown || node.matches(":disabled") || indexes.some((index) => list.options[index] === undefined)) return false;
  for (const [index, option] of [...list.options].entries()) option.selected = indexes.includes(index);
  list.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  list.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
}

/** Null when the selection has opened another page or rebuilt the list. */
async function readChosen(list: PageElement): Promise<readonly number[] | null> {
  try {
    return await list.evaluate((node) => {
      if (!node.isConnected) return null;
      return [...(node as HTMLSelectElement).selectedOptions].map((option) => option.index);
    });
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}
