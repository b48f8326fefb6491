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

/** What the list itself says it has opened, or has inside; else what appeared somewhere on the page. */
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
  const inside = listTargets(now, list.ref).filter(({ isOption }) => isOption);
  const elsewhere = () => (wasOpen ? listTargets(now).filter(({ isOption }) => isOption) : listAdded(before, now));
  const choices = (inside.length > 0 ? inside : elsewhere()).map(({ label, ref, isDisabled }) => {
    return { label, isSelected: null, isDisabled, pin: () => session.pin(ref) };
  });
  return { choices, isMultiple: false };
}

interface Target {
  readonly label: string;
  readonly ref: string;
  readonly isOption: boolean;
  readonly isField: boolean;
  readonly isDisabled: boolean;
}

const OPTION_ROLES: ReadonlySet<string> = new Set([
  "option",
  "menuitem",
  "menuitemradio",
  "menuitemcheckbox",
  "treeitem",
  "radio",
]);

function listTargets({ root }: Observation, within: string | null = null): Target[] {
  return [...walk(root)].flatMap(({ node: { ref, name, role, field, states }, ancestors }) => {
    if (ref === null || (within !== null && !ancestors.some((ancestor) => ancestor.ref === within))) return [];
    const isDisabled = states.disabled === true;
    return [{ label: name, ref, isOption: OPTION_ROLES.has(role), isField: field !== null, isDisabled }];
  });
}

/**
 * What opening the list has added somewhere on the page, because many lists open elsewhere in the DOM: options, or else any
 * targets, for lists whose options have no role. What was there before belongs to something else.
 */
function listAdded(before: Observation, now: Observation): Target[] {
  const old = listTargets(before);
  const refs = new Set(old.map(({ ref }) => ref));
  const shown = listTargets(now);
  const added = shown.filter(({ ref }) => !refs.has(ref));
  const options = added.filter(({ isOption }) => isOption);
  if (options.length > 0) return options;
  // What was drawn again is not new.
  const isMore = ({ label }: Target) => countLabel(shown, label) > countLabel(old, label);
  return added.filter((target) => !target.isField && isMore(target));
}

function countLabel(targets: readonly Target[], label: string): number {
  return targets.filter((target) => target.label === label).length;
}
