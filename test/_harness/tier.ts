/** Each tier runs what the ones before it run, and more: `npm test`, `.ci/run`, `npm run test:nightly`. */
export const TIERS = ["default", "ci", "nightly"] as const;
export type Tier = (typeof TIERS)[number];

/** The end of its name says it: `x.ci.test.ts`. */
export function tierOf(path: string): Tier {
  return TIERS.find((tier) => path.endsWith(`.${tier}.test.ts`)) ?? "default";
}

/** Without a choice every test runs: somebody has named a file. */
export function readTier(): Tier {
  return TIERS.find((tier) => tier === process.env["ERRAND_TEST_TIER"]) ?? "nightly";
}

/**
 * The cases of a long corpus that this tier runs: as many as are given for it, spread evenly over the corpus, and all of
 * them at night. The choice is the same in every run.
 */
export function casesOfTier<Case>(corpus: readonly Case[], counts: { default?: number; ci: number }): readonly Case[] {
  const tier = readTier();
  if (tier === "nightly") return corpus;
  const wanted = tier === "default" ? (counts.default ?? counts.ci) : counts.ci;
  if (wanted >= corpus.length) return corpus;
  const step = corpus.length / wanted;
  return Array.from({ length: wanted }, (_, index) => corpus[Math.floor(index * step)]).filter(
    (each) => each !== undefined,
  );
}

/** Repetitions, or how long something goes on. */
export function amountOfTier(amounts: { default?: number; ci: number; nightly: number }): number {
  const tier = readTier();
  if (tier === "default") return amounts.default ?? amounts.ci;
  return amounts[tier];
}
