/** Random choices that can be repeated with the same seed. */
export interface Chance {
  /** An integer from `min` to `max`, inclusive. */
  between(min: number, max: number): number;
  pick<const Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** Mulberry32: small, and random enough to choose among faults. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;

  /** From 0 (inclusive) to 1 (exclusive). */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const between: Chance["between"] = (min, max) => min + Math.floor(next() * (max - min + 1));
  return {
    between,
    pick(items) {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new Error("there is nothing to choose from");
      return item;
    },
    shuffle(items) {
      const left = [...items];
      return items.flatMap(() => left.splice(between(0, left.length - 1), 1));
    },
  };
}

/** Each round has its own random choices, so that it can be replayed without the ones before it. */
export function seedOfRound(seed: number, round: number): number {
  return createChance((seed ^ Math.imul(round, 0x9e3779b1)) >>> 0).between(0, 0xffff_ffff);
}
