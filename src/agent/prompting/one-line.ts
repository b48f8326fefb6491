/** Signs that are not to be seen and can turn a line around or end it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

/** Foreign words as they may stand in a line of ours: in one line, not long, and without signs that do something to it. */
export function toOneLine(text: string, maxChars: number): string {
  const line = text.replace(UNSEEN, " ").replace(/\s+/g, " ").trim();
  return line.length <= maxChars
    ? line
    : `${line
        .slice(0, maxChars - 1)
        .toWellFormed()
        .trimEnd()}…`;
}
