/** How much of a page is told. */
export interface Detail {
  /** How many screens above and below the viewport are told in full. */
  readonly screensAround: number;
  /** What is told of the rest of the page. */
  readonly beyond: "controls" | "fields" | "headings" | "nothing";
  /** How many lines at most. */
  readonly maxBeyond: number;
  /** Of rows, list items and other things of a kind, how many. */
  readonly maxAlike: number;
  readonly maxNameChars: number;
  readonly maxTextChars: number;
}

/** From the most to the least: the first that fits the budget is taken. */
export const DETAILS: readonly [Detail, ...Detail[]] = [
  { screensAround: 1, beyond: "controls", maxBeyond: 150, maxAlike: 20, maxNameChars: 100, maxTextChars: 400 },
  { screensAround: 1, beyond: "fields", maxBeyond: 100, maxAlike: 12, maxNameChars: 100, maxTextChars: 300 },
  { screensAround: 1, beyond: "headings", maxBeyond: 60, maxAlike: 8, maxNameChars: 80, maxTextChars: 200 },
  { screensAround: 0, beyond: "headings", maxBeyond: 30, maxAlike: 8, maxNameChars: 80, maxTextChars: 200 },
  { screensAround: 0, beyond: "nothing", maxBeyond: 0, maxAlike: 5, maxNameChars: 60, maxTextChars: 100 },
  { screensAround: 0, beyond: "nothing", maxBeyond: 0, maxAlike: 3, maxNameChars: 40, maxTextChars: 40 },
];
