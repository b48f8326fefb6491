import type { Fact } from "../../grounding/claim.ts";
import type { RowFilter } from "../row-filter.ts";

/** What a question is about. Nouns and names are in the words of the task. */
export type Subject =
  /** Whatever the page is about. */
  | { readonly kind: "page" }
  | { readonly kind: "named"; readonly name: string }
  /** From 0; negative counts from the end. */
  | { readonly kind: "position"; readonly noun: string; readonly index: number }
  | { readonly kind: "extreme"; readonly noun: string; readonly by: string; readonly direction: "least" | "most" }
  | {
      readonly kind: "every";
      readonly noun: string;
      readonly filter: RowFilter | null;
      readonly limit: number | null;
      /** "the 3 cheapest": which come first; null: as the page lists them. */
      readonly order: Order | null;
    };

export interface Order {
  readonly by: string;
  readonly direction: "least" | "most";
}

export type Question =
  | { readonly kind: "value"; readonly fields: readonly string[]; readonly subject: Subject }
  | { readonly kind: "count"; readonly noun: string; readonly filter: RowFilter | null };

export type Answer =
  | {
      readonly kind: "found";
      readonly facts: readonly Fact[];
      readonly text: string;
      /** More pages of the list exist than were read: a count or a "cheapest" holds only for these. */
      readonly isPartial: boolean;
      /** Of a superlative: what it was compared with. */
      readonly scope: Scope | null;
    }
  /** Several that fit equally well and differ. */
  | { readonly kind: "ambiguous"; readonly candidates: readonly Fact[] }
  | { readonly kind: "missing"; readonly reason: string }
  /** Not among what was read, but the list has further pages. */
  | { readonly kind: "further"; readonly reason: string };

interface Scope {
  /** Of the list; may be empty. */
  readonly name: string;
  readonly rows: number;
}
