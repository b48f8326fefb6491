/** What people and models call keys, and what the browser calls them. */
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ctrl: "Control",
    control: "Control",
    cmd: "Meta",
    command: "Meta",
    meta: "Meta",
    option: "Alt",
    alt: "Alt",
    shift: "Shift",
    return: "Enter",
    enter: "Enter",
    esc: "Escape",
    escape: "Escape",
    tab: "Tab",
    space: "Space",
    spacebar: "Space",
    del: "Delete",
    delete: "Delete",
    backspace: "Backspace",
    up: "ArrowUp",
    down: "ArrowDown",
    left: "ArrowLeft",
    right: "ArrowRight",
    arrowup: "ArrowUp",
    arrowdown: "ArrowDown",
    arrowleft: "ArrowLeft",
    arrowright: "ArrowRight",
    pageup: "PageUp",
    pagedown: "PageDown",
    home: "Home",
    end: "End",
  }),
);

/** A chord in the browser's words. The plus sign is a key too, as in "+" and "Control++". */
export function toKeys(chord: string): string {
  if (chord === " ") return "Space";
  const keys = chord.trim().split(/(?<=[^+])\+(?=.)/);
  return keys.map((key) => SYNONYMS.get(key.trim().toLowerCase()) ?? key.trim()).join("+");
}
