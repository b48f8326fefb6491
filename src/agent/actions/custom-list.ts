import { setTimeout as sleep } from "node:timers/promises";
import type { Observation } from "../../browser/observation/observation.ts";
import { toLinesWithoutFocus } from "../../browser/observation/observation-text.ts";
import type { PageElement } from "../../browser/observation/page-element.ts";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import type { Mark } from "../../browser/session/browser-session.ts";
import { type ActionContext, ActionFailed, isGone } from "./action.ts";
import { type Field, findField, writeField } from "./field.ts";
import { type Choice, type CustomList, type Offer, readOffer } from "./list-offer.ts";
import { findPopup, pinChipButton, pinOption, readChips, readPopup, scrollPopup } from "./list-popup.ts";
import { type Match, matchOption, matchWords } from "./match-option.ts";
import { quote, toPlain } from "./plain-text.ts";
import { clickElement, isHittable } from "./pointer.ts";

/** For a list that shows no options yet. */
const PATIENCE_MS = 2500;
/** For a list that shows other options: more may follow. */
const MORE_PATIENCE_MS = 500;
const SCROLL_PATIENCE_MS = 8000;
const PAUSE_MS = 100;

/**
 * Selects in a list that is not a <select>: opens it, finds the options among those that appear, clicks them. In a list
 * that allows several, what else was selected is removed.
 */
export async function selectInCustomList(
  list: CustomList,
  labels: readonly string[],
  context: ActionContext,
): Promise<void> {
  await list.handle.evaluate(releaseFocus);
  const wasOpen = list.role === "listbox" || (await isOpen(list));
  const mark = context.session.mark();
  const chosen: string[] = [];
  let isMultiple = false;
  let isClicked = false;
  try {
    for (const label of labels) {
      const found = await chooseOne(list, label, wasOpen, context);
      chosen.push(found.label);
      isMultiple ||= found.isMultiple;
      isClicked ||= found.isClicked;
      if (chosen.length === 2) await checkKept(list, chosen, context);
    }
    if (isMultiple) await removeOthers(list, chosen, context);
  } finally {
    if (!wasOpen) await leave(list, context);
  }
  if (isClicked && list.role === "combobox") await checkTaken(list, chosen.at(-1) ?? "", mark, context);
}

/** Runs in the page. What the focused field of another list has opened is not taken for what this one opens. */
function releaseFocus(node: Element): void {
  const focused = (node.getRootNode() as Document | ShadowRoot).activeElement;
  const isOther = focused?.matches("[aria-controls], [aria-owns]") === true && !node.contains(focused);
  if (isOther && node.getAttribute("aria-expanded") !== "true") (focused as HTMLElement).blur();
}

interface Chosen {
  /** In the words of the page. */
  readonly label: string;
  readonly isMultiple: boolean;
  /** False when it was selected before. */
  readonly isClicked: boolean;
}

async function chooseOne(list: CustomList, wanted: string, wasOpen: boolean, context: ActionContext): Promise<Chosen> {
  if (!(await isOpen(list))) await open(list, context);
  const offer = () => readOffer(list, wasOpen, context);
  const { choice, isMultiple } = await search(list, wanted, offer, context);
  if (choice === null) return { label: wanted, isMultiple, isClicked: false };
  const { label } = choice;
  if (choice.isDisabled) throw new ActionFailed("disabled", `The option ${quote(label)} is disabled.`);
  // A second click would turn it off.
  const isDone = choice.isSelected === true && (isMultiple || (await showsValue(list, label)));
  if (isDone) return { label, isMultiple, isClicked: false };
  const option = await choice.pin();
  await clickElement(option, context);
  await checkChosen(option, context.signal);
  return { label, isMultiple, isClicked: true };
}

interface Found {
  /** Null when it was selected before and is no longer on offer. */
  readonly choice: Choice | null;
  readonly isMultiple: boolean;
}

/**
 * The option among those that are shown; else by typing what is wanted, as many lists only show what matches; else by
 * scrolling, as others only have what is in view. An option that merely contains the words counts when none has exactly
 * them, and only if it was there before typing: lists offer to create what was typed.
 */
async function search(
  list: CustomList,
  wanted: string,
  offer: () => Promise<Offer>,
  context: ActionContext,
): Promise<Found> {
  const { signal } = context;
  const first = await waitForMatch(wanted, offer, signal);
  if (first.match.kind === "one") return { choice: first.match.choice, isMultiple: first.isMultiple };
  if (first.match.kind === "several") throw new ActionFailed("not_found", first.match.message);
  const { chips } = await readChips(list.handle);
  if (matchWords(wanted, chips).kind === "one") return { choice: null, isMultiple: true };
  const typed = await typeInto(list, wanted, context);
  if (typed !== null) {
    const filtered = await waitForMatch(wanted, offer, signal);
    const match = filtered.match.kind === "none" ? startingWith(wanted, filtered.choices) : filtered.match;
    if (match.kind === "one") return { choice: match.choice, isMultiple: filtered.isMultiple };
    await restore(typed, signal);
  }
  const scrolled = await scrollFor(list, wanted, offer, signal);
  if (scrolled.match.kind === "one") return { choice: scrolled.match.choice, isMultiple: scrolled.isMultiple };
  const partial = matchOption(wanted, first.choices);
  if (partial.kind !== "one") throw new ActionFailed("not_found", partial.message);
  const { choices, isMultiple } = await waitForMatch(partial.choice.label, offer, signal);
  const again = matchWords(partial.choice.label, choices);
  if (again.kind !== "one") throw new ActionFailed("not_found", again.message);
  return { choice: again.choice, isMultiple };
}

function startingWith(wanted: string, choices: readonly Choice[]): Match<Choice> {
  const start = toPlain(wanted);
  return matchOption(
    wanted,
    choices.filter(({ label }) => toPlain(label).startsWith(start)),
  );
}

type Searched = Offer & { readonly match: Match<Choice> };

async function waitForMatch(wanted: string, offer: () => Promise<Offer>, signal: AbortSignal): Promise<Searched> {
  const startedMs = performance.now();
  let shownMs: number | null = null;
  for (;;) {
    const now = await offer();
    const match = matchWords(wanted, now.choices);
    const nowMs = performance.now();
    if (now.choices.length > 0) shownMs ??= nowMs;
    const isLate = nowMs - startedMs > PATIENCE_MS || (shownMs !== null && nowMs - shownMs > MORE_PATIENCE_MS);
    if (match.kind !== "none" || isLate) return { ...now, match };
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

async function scrollFor(
  list: CustomList,
  wanted: string,
  offer: () => Promise<Offer>,
  signal: AbortSignal,
): Promise<Searched> {
  const deadline = performance.now() + SCROLL_PATIENCE_MS;
  for (;;) {
    const popup = await findPopup(list.handle);
    const hasMoved = popup !== null && (await scrollPopup(popup));
    const now = await offer();
    const match = matchWords(wanted, now.choices);
    if (match.kind !== "none" || !hasMoved || performance.now() > deadline) return { ...now, match };
    signal.throwIfAborted();
  }
}

async function isOpen({ handle }: PinnedElement): Promise<boolean> {
  const popup = await findPopup(handle);
  if (popup !== null && (await readPopup(popup)).options.length > 0) return true;
  return handle.evaluate((node) => node.getAttribute("aria-expanded") === "true");
}

/** A field that does not open its list on a click does so with the arrow key. */
async function open(list: CustomList, { session, signal }: ActionContext): Promise<void> {
  await clickElement(list, { signal });
  const startedMs = performance.now();
  while (performance.now() - startedMs < MORE_PATIENCE_MS) {
    if (await isOpen(list)) return;
    await sleep(PAUSE_MS, undefined, { signal });
  }
  const isClosedCombobox = await list.handle.evaluate(
    (node) => node.getAttribute("role") === "combobox" && node.ownerDocument.activeElement === node,
  );
  if (isClosedCombobox) await session.press("ArrowDown");
}

interface Typed {
  readonly field: Field;
  readonly before: string;
}

/** Null when the list takes no text. */
async function typeInto(list: PinnedElement, text: string, { signal }: ActionContext): Promise<Typed | null> {
  try {
    const field = await findSearchField(list);
    const before = await field.handle.evaluate((node) => (node as HTMLInputElement).value ?? "");
    await writeField(field, text, signal);
    return { field, before };
  } catch (error) {
    if (error instanceof ActionFailed || isGone(error)) return null;
    throw error;
  }
}

/** The list's own field, or the one that has got the focus in what it opened. */
async function findSearchField(list: PinnedElement): Promise<Field> {
  try {
    return await findField(list);
  } catch (error) {
    if (!(error instanceof ActionFailed)) throw error;
    const popup = await findPopup(list.handle);
    const focused = (await popup?.find(findFocusedBeside)) ?? null;
    if (focused === null) throw error;
    return await findField({ ...list, handle: focused });
  }
}

/** Runs in the page. The focused text field inside the popup's own layer. */
function findFocusedBeside(popup: Element): Element | null {
  const focused = popup.ownerDocument.activeElement;
  if (focused === null || !focused.matches("input, textarea")) return null;
  for (let at: Element | null = popup; at !== null && at !== document.body; at = at.parentElement) {
    if (at.contains(focused)) return focused;
  }
  return null;
}

/** What was typed to search must not stay behind as a value. */
async function restore({ field, before }: Typed, signal: AbortSignal): Promise<void> {
  await writeField(field, before, signal).catch((error: unknown) => {
    if (!(error instanceof ActionFailed || isGone(error))) throw error;
  });
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
  const state = node.getAttribute("aria-checked") ?? node.getAttribute("aria-selected");
  return state === "false";
}

/** In a list that allows only one, the second choice has replaced the first. */
async function checkKept(list: CustomList, [first = "", second = ""]: readonly string[], context: ActionContext) {
  if (!(await isOpen(list))) await open(list, context);
  const { choices, isMultiple } = await readOffer(list, true, context);
  const match = matchWords(first, choices);
  if (isMultiple || match.kind !== "one" || match.choice.isSelected !== false) return;
  const only = `select: only one option can be selected in this list. It is now ${quote(second)}.`;
  throw new ActionFailed("invalid_input", only);
}

/** A page may ignore the choice: then nothing on the page has changed, and nothing was sent. */
async function checkTaken(list: CustomList, label: string, mark: Mark, context: ActionContext): Promise<void> {
  const { session, signal, observation } = context;
  const describe = (page: Observation) => [page.url, page.title, ...toLinesWithoutFocus(page)].join("\n");
  const deadline = performance.now() + PATIENCE_MS / 2;
  try {
    while (!(await showsValue(list, label))) {
      if (session.since(mark).requests.length > 0) return;
      const hasChanged = describe(await session.observe(signal)) !== describe(observation);
      const isLate = performance.now() > deadline;
      // A list that is still open is a change by itself.
      if (hasChanged && (isLate || !(await isOpen(list)))) return;
      if (isLate) {
        throw new ActionFailed(
          "no_effect",
          `The option ${quote(label)} was clicked, and nothing on the page has changed.`,
        );
      }
      await sleep(PAUSE_MS, undefined, { signal });
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Whether the closed list would show this value: some pages mark the highlighted option as selected. */
function showsValue({ handle }: PinnedElement, label: string): Promise<boolean> {
  return handle.evaluate((node, words) => {
    // biome-ignore lint/performance/useDomNodeTextContent: only rendered text counts.
    const shown = (node as HTMLInputElement).value ?? (node as HTMLElement).innerText ?? "";
    return shown.replace(/\s+/g, " ").trim() === words;
  }, label);
}

const MAX_REMOVED = 50;

/** In a list that allows several, nothing else may stay selected. */
async function removeOthers(list: CustomList, chosen: readonly string[], context: ActionContext): Promise<void> {
  if (!(await isOpen(list))) await open(list, context);
  const isWanted = ({ label }: { label: string }) =>
    matchWords(
      label,
      chosen.map((each) => ({ label: each })),
    ).kind === "one";
  for (let removed = 0; removed < MAX_REMOVED; removed += 1) {
    const popup = await findPopup(list.handle);
    const content = popup === null ? null : await readPopup(popup);
    const extra = content?.isMultiple
      ? content.options.find((each) => each.isSelected === true && !isWanted(each))
      : undefined;
    const read = await readChips(list.handle);
    const chip = read.chips.find((each) => !isWanted(each));
    if (content !== null && extra !== undefined) await clickElement(await pinOption(content, extra), context);
    else if (chip !== undefined) await clickElement(await pinChipButton(read, chip), context);
    else return;
    await sleep(PAUSE_MS, undefined, { signal: context.signal });
  }
}

/** A list that stays open would cover the page. Escape might close more than the list, so it is left as with the mouse. */
async function leave(list: CustomList, context: ActionContext): Promise<void> {
  try {
    if (await isClosing(list, context.signal)) return;
    const popup = await findPopup(list.handle);
    if (popup === null) return;
    if (!(await isHittable(list))) return await clickBackdrop(list.handle, popup);
    await list.handle.evaluate((node) => (node.ownerDocument.activeElement as HTMLElement | null)?.blur());
    await sleep(PAUSE_MS, undefined, { signal: context.signal });
    const closesOnClick = await list.handle.evaluate(
      (node) => !node.matches("input, textarea") || (node as HTMLInputElement).readOnly,
    );
    if (closesOnClick && (await isOpen(list)) && (await isHittable(list))) await clickElement(list, context);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Whether the list is closed, or says so and fades out: another click would open it again. */
async function isClosing(list: CustomList, signal: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + MORE_PATIENCE_MS;
  while (await isOpen(list)) {
    const saysClosed = await list.handle.evaluate((node) => node.getAttribute("aria-expanded") === "false");
    if (!saysClosed || performance.now() > deadline) return false;
    await sleep(PAUSE_MS / 2, undefined, { signal });
  }
  return true;
}

/** A layer over the whole page that belongs to the popup closes it. */
async function clickBackdrop(control: PageElement, popup: PageElement): Promise<void> {
  const middle = await control.evaluate((node): [number, number] => {
    const { left, top, width, height } = node.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  });
  const point = await popup.evaluate((opened, first) => {
    const layer = opened.closest("body > *");
    const corners: [number, number][] = [first, [2, 2], [innerWidth - 2, innerHeight - 2]];
    const free = corners.find(([x, y]) => {
      const hit = document.elementFromPoint(x, y);
      return hit !== null && layer?.contains(hit) && !hit.contains(opened) && !opened.contains(hit);
    });
    return free === undefined ? null : { x: free[0], y: free[1] };
  }, middle);
  if (point !== null) await control.frame.page().mouse.click(point.x, point.y);
}
