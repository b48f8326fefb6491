/** Text as it is compared: without case, width variants, and with single spaces. */
export function toPlain(text: string): string {
  return text.normalize("NFKC").replace(/\s+/g, " ").trim().toLowerCase();
}

/** Only what somebody would read out: letters and digits. */
export function toLettersAndDigits(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Foreign text in a message: one line, not long. */
export function quote(text: string, maxLength = 80): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `"${line.length <= maxLength ? line : `${line.slice(0, maxLength)}…`}"`;
}
