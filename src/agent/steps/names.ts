export function shorten(text: string, length = 80): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** A value as people write it: yes and no, and €15 for "EUR 15". */
export function describeValue(value: string | number | boolean): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  const [, code = "", number = ""] = /^([A-Z]{3}) (-?[\d.]+)$/.exec(String(value)) ?? [];
  const sign = { EUR: "€", GBP: "£", USD: "$" }[code];
  return `"${shorten(code === "" ? String(value) : sign === undefined ? `${number} ${code}` : `${sign}${number}`)}"`;
}

/** Names for a message: "Price", "Rating". */
export function quoteNames(names: Iterable<string>, most = 12): string {
  return [...names]
    .slice(0, most)
    .map((name) => `"${shorten(name, 40)}"`)
    .join(", ");
}

const MAX_LISTED = 6;

/** Alternatives for a message, of which a few are enough. */
export function listTexts(texts: readonly string[]): string {
  const more = texts.length - MAX_LISTED;
  return `${texts.slice(0, MAX_LISTED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The first is number 1. */
export const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");

/** 1 is the first, -1 the last. */
export function pickNth<Item>(items: readonly Item[], nth: number): Item | undefined {
  return items.at(nth > 0 ? nth - 1 : nth);
}

/** "second", "last", "number 12". */
export function describePosition(nth: number): string {
  return nth === -1 ? "last" : (ORDINALS[nth - 1] ?? `number ${nth}`);
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
