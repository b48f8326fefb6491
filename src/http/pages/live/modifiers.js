// @ts-check

export const SHIFT = 8;
export const META = 4;
export const CONTROL = 2;
export const ALT = 1;

/** @param {MouseEvent | KeyboardEvent | TouchEvent} event */
export function modifiersOf({ shiftKey, metaKey, ctrlKey, altKey }) {
  return (shiftKey ? SHIFT : 0) | (metaKey ? META : 0) | (ctrlKey ? CONTROL : 0) | (altKey ? ALT : 0);
}
