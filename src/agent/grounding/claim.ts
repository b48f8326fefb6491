import type { Box } from "../../browser/observation/observation.ts";
import type { FieldPlace } from "../../browser/observation/twin-fields.ts";

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

/** Something that was read, with its source. */
export interface Fact {
  /** What it is about, in the words of the task. */
  readonly label: string;
  readonly value: string | number | boolean | null;
  /** The text of the page that states it, verbatim; null without one. */
  readonly quote: string | null;
  /** The page it was read from. */
  readonly url: string;
}

/** One leaf of the extracted data. */
export interface Leaf {
  /** A JSON pointer into the data. */
  readonly pointer: string;
  readonly value: unknown;
  /** The text of the page that states it, verbatim; for a link, its URL. Null: not grounded. */
  readonly quote: string | null;
  readonly url: string;
  readonly location?: LeafLocation;
}

/** Where a value was when it was read. */
export interface LeafLocation {
  readonly observationNumber: number;
  /** In the viewport of that observation; null for a node without a box. */
  readonly box: Box | null;
}

/** Data for an `output_schema`, each leaf with its quote. */
export interface Extraction {
  readonly data: unknown;
  readonly leaves: readonly Leaf[];
  /** How complete it is, for people: pages and rows read, what was left out and why. */
  readonly coverage: string;
  /** What could not be found and why, as JSON pointers. */
  readonly missing: readonly { readonly pointer: string; readonly reason: string }[];
}

/** A statement that must be true for the errand to be done. */
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
      /** Which of the fields with this label it is, where the run entered the value. */
      readonly place?: FieldPlace | null;
      readonly value: string;
      /** Whether it was submitted, so that a fresh load of the page should show it too. */
      readonly isSaved: boolean;
      readonly about: string;
    }
  /** The page at this URL does not show the text, and it was read to its end. */
  | { readonly kind: "absent"; readonly url: string; readonly text: string; readonly about: string }
  /**
   * A list was read as a whole: all of its pages and rows. What a claim says about none, all or the number of its rows rests
   * on this.
   */
  | {
      readonly kind: "list";
      /** The numbers of the observations that show it, in order. */
      readonly observations: readonly number[];
      /** As the page calls it; may be empty. */
      readonly name: string;
      /** How many it has, without total rows, before any were chosen. */
      readonly rows: number;
      /** Columns that rows were chosen by: each row must say something there, or nobody knows whether it counts. */
      readonly columns: readonly string[];
      readonly about: string;
    }
  /** The last tab shows this URL, compared without its fragment. */
  | { readonly kind: "address"; readonly url: string; readonly about: string }
  /** Known from the reports of the actions themselves: `holds` says how it turned out. */
  | { readonly kind: "step"; readonly holds: boolean; readonly about: string };

export interface Screenshot {
  readonly data: Buffer;
  readonly contentType: string;
}
