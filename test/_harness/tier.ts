/** Each tier runs what the ones before it run, and more: `npm test`, `.ci/run`, `npm run test:nightly`. */
export const TIERS = ["default", "ci", "nightly"] as const;
export type Tier = (typeof TIERS)[number];

/** The end of its name says it: `x.ci.test.ts`. */
export function tierOf(path: string): Tier {
  return TIERS.find((tier) => path.endsWith(`.${tier}.test.ts`)) ?? "default";
}

/** Without a choice every test runs in full: a file was named. */
export function readTier(): Tier {
  return TIERS.find((tier) => tier === process.env["ERRAND_TEST_TIER"]) ?? "nightly";
}

/**
 * The cases of a long corpus that this tier runs: as many as are given for it, spread evenly and always with the last one,
 * which is mostly the newest. At night it is all of them. The choice is the same in every run.
 */
export function casesOfTier<Case>(corpus: readonly Case[], counts: { default?: number; ci: number }): readonly Case[] {
  const count = amountOfTier({ ...counts, nightly: corpus.length });
  const step = corpus.length / Math.min(count, corpus.length);
  // Rounded, because a division leaves 6.999… as well as 7.
  return corpus.filter((_, index) => Math.floor((index + 1) / step + 1e-9) > Math.floor(index / step + 1e-9));
}

/** Repetitions, or how long something goes on. */
export function amountOfTier(amounts: { default?: number; ci: number; nightly: number }): number {
  const tier = readTier();
  if (tier === "default") return amounts.default ?? amounts.ci;
  return amounts[tier];
}
