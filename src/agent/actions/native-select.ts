import type { ElementHandle } from "playwright-core";
import { ActionFailed } from "./action.ts";
import { matchOption } from "./match-option.ts";
import { quote } from "./plain-text.ts";
import { isGone } from "./playwright-error.ts";

const TIMEOUT_MS = 3000;

export function isNativeOption(handle: ElementHandle<Element>): Promise<boolean> {
  return handle.evaluate((node) => node.localName === "option" && node.closest("select") !== null);
}

/** Chooses one option of the browser's own list, and keeps what else is chosen in a list for several. */
export async function chooseOption(option: ElementHandle<Element>, signal: AbortSignal): Promise<void> {
  const wanted = await option.evaluate((node) => (node as HTMLOptionElement).index);
  const list = await findNativeSelect(option);
  if (list === null) throw new ActionFailed("not_found", "The option belongs to no list.");
  const { isMultiple, chosen } = await list.evaluate(describeList);
  await setOptions(list, isMultiple ? [...new Set([...chosen, wanted])] : [wanted], signal);
}

/** The <select> that an element is, or belongs to; null for lists that a site draws itself. */
export async function findNativeSelect(handle: ElementHandle<Element>): Promise<ElementHandle<Element> | null> {
  const found = await handle.evaluateHandle((node) => {
    const control = node.localName === "label" ? (node as HTMLLabelElement).control : null;
    return (control ?? node).closest("select");
  });
  return found.asElement();
}

/** Chooses these options and no others. */
export async function selectNative(
  list: ElementHandle<Element>,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { isMultiple, options } = await list.evaluate(describeList);
  if (wanted.length > 1 && !isMultiple)
    throw new ActionFailed("invalid_input", "select: this list takes one option only.");
  const chosen = wanted.map((label) => findOption(label, options));
  const refused = chosen.find((option) => option.isDisabled);
  if (refused !== undefined) throw new ActionFailed("disabled", `The option ${quote(refused.label)} is disabled.`);
  await setOptions(list, [...new Set(chosen.map((option) => option.index))], signal);
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
    throw new ActionFailed("no_effect", "The page took the choice back. Look at what the list shows now.");
  }
}

/** Null when the choice has led to another page, or has rebuilt the list. */
async function readChosen(list: ElementHandle<Element>): Promise<readonly number[] | null> {
  try {
    return (await list.evaluate((node) => node.isConnected)) ? (await list.evaluate(describeList)).chosen : null;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}
