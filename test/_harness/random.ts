/** Random choices that are the same for the same seed. */
export interface Random {
  /** From 0 up to but not including 1. */
  next(): number;
  /** A whole number, both ends included. */
  int(from: number, to: number): number;
  chance(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** mulberry32, which is small and good enough for tests. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  const pick = <Item>(items: readonly Item[]): Item => items[int(0, items.length - 1)] as Item;
  const shuffle = <Item>(items: readonly Item[]): Item[] =>
    items
      .map((item) => ({ item, order: next() }))
      .toSorted((one, other) => one.order - other.order)
      .map(({ item }) => item);
  return { next, int, chance: (share) => next() < share, pick, shuffle };
}
