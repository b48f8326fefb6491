import type { Box } from "../../browser/observation/observation.ts";

/** Something that was read, with the place where it stood. */
export interface Fact {
  /** What it is about, in the words of the task. */
  readonly label: string;
  readonly value: string | number | boolean | null;
  /** The text of the page that says so, word for word; null when nothing does. */
  readonly quote: string | null;
  /** The page it stood on. */
  readonly url: string;
}

/** One leaf of the extracted data. */
export interface Leaf {
  /** A JSON pointer into the data. */
  readonly pointer: string;
  readonly value: unknown;
  /** The text of the page that says so, word for word; of a link, its address as observed. Null: not grounded. */
  readonly quote: string | null;
  readonly url: string;
  readonly place?: LeafLocation;
}

/** Where a value stood when it was read. */
export interface LeafLocation {
  /** The number of the observation. */
  readonly look: number;
  /** In the viewport of that look; null for what has no box. */
  readonly box: Box | null;
}

/** Data for an `output_schema`, each leaf with its ground. */
export interface Extraction {
  readonly data: unknown;
  readonly leaves: readonly Leaf[];
  /** How complete it is, in words: pages read, rows seen, what was left out and why. */
  readonly coverage: string;
  /** What could not be found, as pointers with a reason. */
  readonly missing: readonly { readonly pointer: string; readonly reason: string }[];
}

/** One thing that must be true at the end for the errand to be done. */
export interface Criterion {
  /** "c1", "c2", … */
  readonly id: string;
  readonly text: string;
}
