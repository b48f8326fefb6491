import { type Amount, parseAmount } from "../../extraction/values/amount.ts";
import { parseDate } from "../../extraction/values/date.ts";
import type { Claim } from "../../planner/planner.ts";

/** One property of one item of a list, with what the page says for it. */
export interface ItemValue {
  readonly value: unknown;
  readonly amount: Amount | null;
  readonly day: string | null;
}

/** Items of a list in the data, in its order. */
export type Item = ReadonlyMap<string, ItemValue>;

/** The list that the data is or holds; empty when there is none, or several. */
export function findListItems({ extraction }: Claim): Item[] {
  if (extraction === null) return [];
  const lists = findLists(extraction.data, "");
  const [list] = lists;
  if (list === undefined || lists.length > 1) return [];
  const quotes = new Map(extraction.leaves.map(({ pointer, quote }) => [pointer, quote ?? ""]));
  return list.items.map((item, index) => {
    const properties = typeof item === "object" && item !== null ? Object.entries(item) : [["", item] as const];
    return new Map(
      properties.map(([name, value]) => {
        const pointer = [list.pointer, index, ...(name === "" ? [] : [name])].join("/");
        return [name, toItemValue(value, quotes.get(pointer) ?? "")];
      }),
    );
  });
}

/** The only property that is so for every item. */
export function findProperty(items: readonly Item[], isSo: (value: ItemValue, name: string) => boolean): string | null {
  const [first] = items;
  const fitting = [...(first?.keys() ?? [])].filter((name) =>
    items.every((item) => {
      const value = item.get(name);
      return value !== undefined && isSo(value, name);
    }),
  );
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}

function findLists(data: unknown, pointer: string): { pointer: string; items: readonly unknown[] }[] {
  if (typeof data !== "object" || data === null) return [];
  if (Array.isArray(data)) return [{ pointer, items: data }];
  return Object.entries(data).flatMap(([key, value]) => findLists(value, `${pointer}/${key}`));
}

function toItemValue(value: unknown, quote: string): ItemValue {
  const written = parseAmount(quote);
  const isSame = written !== null && (written.value === value || written.otherValue === value);
  return {
    value,
    amount: isSame ? written : null,
    day: typeof value === "string" ? (parseDate(value)?.day ?? null) : null,
  };
}
