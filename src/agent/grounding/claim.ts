import type { Box } from "../../browser/observation/observation.ts";

/** What is asked for. All of it comes from the caller, none of it from a page. */
export interface Task {
  readonly prompt: string;
  readonly startUrl: string | null;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  /** For "today", "next Friday". */
  readonly now: Date;
}

/** What is wrong with data under an `output_schema`; empty when nothing is. Neither schema nor data is trusted. */
export type FindOutputProblems = (
  schema: Readonly<Record<string, unknown>>,
  data: unknown,
) => Promise<readonly string[]>;

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

/** What a planner says it has achieved, in a form that code can check. */
export interface Claim {
  /** The answer in words. Every fact it rests on is in `facts`. */
  readonly answer: string;
  readonly facts: readonly Fact[];
  readonly extraction: Extraction | null;
  readonly conditions: readonly Condition[];
}

/** What must hold at the end for the claim to be true. */
export type Condition =
  /** The page at this URL shows the text. */
  | { readonly kind: "text"; readonly url: string; readonly text: string; readonly about: string }
  /** On the page at this URL, the field with this label holds the value. */
  | {
      readonly kind: "field";
      readonly url: string;
      readonly label: string;
      readonly value: string;
      /** Whether it was submitted, so that a fresh load of the page should show it too. */
      readonly isSaved: boolean;
      readonly about: string;
    }
  /** The last tab shows this URL, compared without its fragment. */
  | { readonly kind: "address"; readonly url: string; readonly about: string }
  /** Known from the reports of the actions themselves: `holds` says how it turned out. */
  | { readonly kind: "step"; readonly holds: boolean; readonly about: string };

export interface Picture {
  readonly data: Buffer;
  readonly contentType: string;
}
