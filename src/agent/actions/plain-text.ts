import { toVisibleText } from "../../browser/observation/visible-text.ts";

/** Text for comparison: without case and width variants and invisible characters, with single spaces. */
export function toPlain(text: string): string {
  return toVisibleText(text.normalize("NFKC")).toLowerCase();
}

/** Letters and digits only. */
export function toLettersAndDigits(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Text from outside in a message: one line, limited in length. */
export function quote(text: string, maxLength = 80): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `"${line.length <= maxLength ? line : `${line.slice(0, maxLength)}…`}"`;
}
