import type { Note } from "../note.ts";
import type { FieldReader } from "./describe-field.ts";

/**
 * Runs in the page. Drop-down lists open in a window of their own, which no picture shows: they are told of instead of
 * being opened. Answers the function that takes a choice.
 */
export function offerChoices(say: (note: Note) => void, reader: FieldReader): (index: number | null) => void {
  const MAX_OPTIONS = 2_000;
  let offered: HTMLSelectElement | null = null;

  function findDropDown(event: Event): HTMLSelectElement | null {
    const [target] = event.composedPath();
    const select = event.isTrusted && target instanceof Element ? target.closest("select") : null;
    if (select === null || select.multiple || select.size > 1 || select.disabled) return null;
    // Such lists are drawn by the page, so the picture shows them.
    return getComputedStyle(select).getPropertyValue("appearance") === "base-select" ? null : select;
  }

  function offer(event: Event): void {
    const select = findDropDown(event);
    if (select === null) return;
    event.preventDefault();
    select.focus();
    offered = select;
    const options = [...select.options].slice(0, MAX_OPTIONS).map((option) => ({
      label: reader.shorten(option.label),
      isChosen: option.selected,
      isDisabled: isDisabled(option),
    }));
    say({ type: "choices", choices: { label: reader.labelOf(select), options } });
  }

  function isDisabled(option: HTMLOptionElement): boolean {
    return option.disabled || (option.parentElement instanceof HTMLOptGroupElement && option.parentElement.disabled);
  }

  addEventListener("mousedown", (event) => event.button === 0 && offer(event), true);
  addEventListener(
    "keydown",
    (event) => {
      const isArrow = event.key === "ArrowDown" || event.key === "ArrowUp";
      if ([" ", "Enter", "F4"].includes(event.key) || (isArrow && event.altKey)) offer(event);
    },
    true,
  );

  return (index) => {
    const select = offered;
    offered = null;
    if (select === null || index === null || index === select.selectedIndex) return;
    const option = select.options[index];
    if (option === undefined || isDisabled(option)) return;
    select.selectedIndex = index;
    select.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    select.dispatchEvent(new Event("change", { bubbles: true }));
  };
}
