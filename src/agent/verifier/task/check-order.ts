import type { Check } from "../../errand.ts";
import type { Case } from "./case.ts";
import { findListItems, findProperty, type Item } from "./list-items.ts";

type Key = (item: Item) => number | string;

interface Wish {
  readonly said: string;
  readonly property: string;
  readonly key: Key;
  readonly isRising: boolean;
}

const LOW =
  /\b(?:cheapest|lowest|smallest|least expensive)(?: [a-z]+)? first\b|\b(?:from )?(?:cheapest|lowest|low) to (?:most expensive|highest|high|dearest)\b|\bascending\b/i;
const HIGH =
  /\b(?:most expensive|highest|largest|dearest|biggest)(?: [a-z]+)? first\b|\b(?:from )?(?:highest|high|most expensive) to (?:lowest|low|cheapest)\b|\bdescending\b/i;
const NEW = /\b(?:newest|latest|most recent)(?: [a-z]+)? first\b/i;
const OLD = /\b(?:oldest|earliest)(?: [a-z]+)? first\b|\bchronological/i;
const ALPHABET = /\balphabetical(?:ly)?\b/i;

/** A list that was asked for in an order is in that order, where it is clear by what. */
export function checkOrder({ claim, task }: Case): Check[] {
  const items = findListItems(claim);
  const wish = items.length < 2 ? null : findWish(task.prompt, items);
  if (wish === null) return [];
  const { said, property, key, isRising } = wish;
  const keys = items.map(key);
  const at = keys.findIndex((each, index) => {
    const before = keys[index - 1];
    return before !== undefined && (isRising ? each < before : each > before);
  });
  if (at === -1) return [];
  const evidence = `By ${property || "value"}, ${JSON.stringify(keys[at])} comes after ${JSON.stringify(keys[at - 1])}.`;
  return [{ about: `The list is in the order that was asked for: ${said}`, verdict: "contradicted", evidence }];
}

function findWish(prompt: string, items: readonly Item[]): Wish | null {
  const found = [LOW, HIGH, NEW, OLD, ALPHABET].map((form) => form.exec(prompt));
  const [one, ...more] = found.filter((match) => match !== null);
  // What is sorted on the way to something else is not what is listed in the end.
  const isOnTheWay = one !== undefined && /\b(?:open|click|choose|pick|select|add)\b/i.test(prompt.slice(one.index));
  if (more.length > 0 || isOnTheWay) return null;
  const [low, high, recent, old, alphabet] = found.map((match) => match?.[0]);
  const number = low ?? high;
  if (number !== undefined) {
    const named = findNamed(prompt, items);
    const property =
      named ??
      findProperty(items, ({ amount }) => amount !== null && amount.currency !== null) ??
      findProperty(items, ({ value }) => typeof value === "number");
    if (property === null || items.some((item) => typeof item.get(property)?.value !== "number")) return null;
    return { said: number, property, key: (item) => Number(item.get(property)?.value), isRising: low !== undefined };
  }
  const time = recent ?? old;
  if (time !== undefined) {
    const property = findProperty(items, ({ day }) => day !== null);
    return property === null
      ? null
      : { said: time, property, key: (item) => item.get(property)?.day ?? "", isRising: recent === undefined };
  }
  if (alphabet === undefined) return null;
  const property = findProperty(items, ({ value, day }) => typeof value === "string" && day === null);
  const key: Key = (item) => String(item.get(property ?? "")?.value).toLowerCase();
  return property === null ? null : { said: alphabet, property, key, isRising: true };
}

/** "sorted by price" */
function findNamed(prompt: string, items: readonly Item[]): string | null {
  const by = /\b(?:sorted|ordered|sort|order) (?:them )?by (?:the )?(\w+)/i.exec(prompt)?.[1]?.toLowerCase();
  return by === undefined ? null : findProperty(items, (_, name) => name.toLowerCase() === by);
}
