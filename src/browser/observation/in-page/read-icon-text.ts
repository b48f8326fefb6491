import type { WalkedPage } from "./walk-page.ts";

/**
 * Runs in the page. Returns whether a piece of text is only the code of an icon: fonts such as Material Symbols draw a picture in
 * place of the word "arrow_drop_down". Only in a control that has other words, and changes its name with its state otherwise.
 * Where there are no other words, it is the only name that the control has.
 */
export function createIconTextReader(
  { elements, pieces }: WalkedPage,
  isControl: (index: number) => boolean,
): (piece: number) => boolean {
  const CODE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
  const FONT = /\b(?:icons?|symbols?|glyphs?)\b/i;
  /** By the index of an element: the nearest control around it, or itself; -1 for none. */
  const controls: number[] = [];
  /** By the index of a piece: the control that it is in. */
  const icons = new Map<number, number>();
  const worded = new Set<number>();

  elements.forEach(({ parent }, index) => {
    controls[index] = isControl(index) ? index : (controls[parent] ?? -1);
  });
  pieces.forEach(({ text, owner }, piece) => {
    const control = controls[owner] ?? -1;
    if (control === -1) return;
    const trimmed = text.trim();
    if (CODE.test(trimmed) && FONT.test(elements[owner]?.style.fontFamily ?? "")) icons.set(piece, control);
    else if (/[\p{L}\p{N}]/u.test(trimmed)) worded.add(control);
  });

  function hasOtherWords(control: number): boolean {
    return worded.has(control) || Boolean(elements[control]?.element.getAttribute("aria-label")?.trim());
  }

  return (piece) => {
    const control = icons.get(piece);
    return control !== undefined && hasOtherWords(control);
  };
}
