/** One thing that must be true at the end for the errand to be done. */
export interface Criterion {
  /** "c1", "c2", … */
  readonly id: string;
  readonly text: string;
}
