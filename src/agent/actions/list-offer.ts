import { type Observation, walk } from "../../browser/observation/observation.ts";
import type { PinnedElement } from "../../browser/observation/pin-element.ts";
import type { ActionContext } from "./action.ts";
import { findPopup, pinOption, readPopup } from "./list-popup.ts";

/** A list that is not a <select>. */
export interface CustomList extends PinnedElement {
  readonly ref: string;
}

export interface Choice {
  readonly label: string;
  /** Null when the page does not say. */
  readonly isSelected: boolean | null;
  readonly isDisabled: boolean;
  pin(): Promise<PinnedElement>;
}

/** What is on offer at one moment. */
export interface Offer {
  readonly choices: readonly Choice[];
  readonly isMultiple: boolean;
}

/** What the list itself says it has opened; else the options that appeared somewhere on the page. */
export async function readOffer(list: CustomList, wasOpen: boolean, context: ActionContext): Promise<Offer> {
  const popup = await findPopup(list.handle);
  if (popup !== null) {
    const content = await readPopup(popup);
    if (content.options.length > 0) {
      const choices = content.options.map((option) => ({ ...option, pin: () => pinOption(content, option) }));
      return { choices, isMultiple: content.isMultiple };
    }
  }
  const { session, observation: before, signal } = context;
  const now = await session.observe(signal);
  const options = listOptions(now, list.ref);
  const known = new Set(wasOpen ? [] : listOptions(before, list.ref).map(({ ref }) => ref));
  // Another list on the page may have an option of the same name, so options that were there before count last.
  const fresh = options.filter(({ ref }) => !known.has(ref));
  const shown = fresh.length > 0 ? fresh : options.length > 0 ? options : listAppeared(before, now);
  const choices = shown.map(({ label, ref }) => {
    return { label, isSelected: null, isDisabled: false, pin: () => session.pin(ref) };
  });
  return { choices, isMultiple: false };
}

interface Target {
  readonly label: string;
  readonly ref: string;
}

const OPTION_ROLES: ReadonlySet<string> = new Set([
  "option",
  "menuitem",
  "menuitemradio",
  "menuitemcheckbox",
  "treeitem",
  "radio",
]);

/** Options inside the list itself, if it has any; else all on the page, because many lists open elsewhere in the DOM. */
function listOptions({ root }: Observation, listRef: string): Target[] {
  const inside: Target[] = [];
  const all: Target[] = [];
  for (const { node, ancestors } of walk(root)) {
    if (node.ref === null || !OPTION_ROLES.has(node.role)) continue;
    const option = { label: node.name, ref: node.ref };
    all.push(option);
    if (ancestors.some((ancestor) => ancestor.ref === listRef)) inside.push(option);
  }
  return inside.length > 0 ? inside : all;
}

/** Targets that opening the list has added, for lists whose options have no role. Refs are new each time, names are not. */
function listAppeared(before: Observation, now: Observation): Target[] {
  const known = new Set(listTargets(before).map(({ label }) => label));
  return listTargets(now).filter(({ label }) => !known.has(label));
}

function listTargets({ root }: Observation): Target[] {
  return [...walk(root)].flatMap(({ node }) =>
    node.ref === null || node.field !== null ? [] : [{ label: node.name, ref: node.ref }],
  );
}
