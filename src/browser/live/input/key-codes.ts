/** Windows virtual key codes: what sites read as `keyCode`, and what Chromium goes by for keys that write nothing. */
const NAMED: Readonly<Record<string, number>> = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Shift: 16,
  Control: 17,
  Alt: 18,
  Pause: 19,
  CapsLock: 20,
  Escape: 27,
  " ": 32,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Insert: 45,
  Delete: 46,
  ContextMenu: 93,
};

const PUNCTUATION: Readonly<Record<string, number>> = {
  Semicolon: 186,
  Equal: 187,
  Comma: 188,
  Minus: 189,
  Period: 190,
  Slash: 191,
  Backquote: 192,
  BracketLeft: 219,
  Backslash: 220,
  BracketRight: 221,
  Quote: 222,
};

/** By what the key writes where that is a letter or a digit, so that Ctrl+A is where A stands on this keyboard. */
export function keyCodeOf(key: string, code: string): number {
  const named = NAMED[key];
  if (named !== undefined) return named;
  if (/^[a-z0-9]$/i.test(key)) return key.toUpperCase().charCodeAt(0);
  const [, functionKey] = /^F(\d{1,2})$/.exec(key) ?? [];
  if (functionKey !== undefined) return 111 + Number(functionKey);
  const [, place] = /^(?:Key|Digit)([A-Z0-9])$/.exec(code) ?? [];
  return place?.charCodeAt(0) ?? PUNCTUATION[code] ?? 0;
}

/** Where such a character stands on most keyboards; empty when that cannot be said. */
export function guessCode(character: string): string {
  if (/^[a-z]$/i.test(character)) return `Key${character.toUpperCase()}`;
  if (/^\d$/.test(character)) return `Digit${character}`;
  return character === " " ? "Space" : "";
}
