/** The name of a key as people say it, as browsers call it; null for what is not a key. */
export function readKey(said: string): string | null {
  return KEYS.test(said) ? toKey(said) : null;
}

const KEYS =
  /^(?:enter|return|escape|esc|tab|space|backspace|delete|home|end|page ?up|page ?down|(?:arrow ?)?(?:up|down|left|right)(?: arrow)?|f\d{1,2}|(?:(?:control|ctrl|shift|alt|meta|cmd)\+)+\S{1,10})$/i;
const KEY_NAMES = new Map([
  ["return", "Enter"],
  ["esc", "Escape"],
  ["ctrl", "Control"],
  ["cmd", "Meta"],
  ["space", " "],
]);

function toKey(said: string): string {
  const arrow = /^(?:arrow ?)?(up|down|left|right)(?: arrow)?$/i.exec(said)?.[1];
  if (arrow !== undefined) return `Arrow${capitalize(arrow)}`;
  if (/^page/i.test(said)) return said.toLowerCase().includes("up") ? "PageUp" : "PageDown";
  return said
    .split("+")
    .map((part) => KEY_NAMES.get(part.toLowerCase()) ?? capitalize(part))
    .join("+");
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}
