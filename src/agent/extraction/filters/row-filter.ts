/** Which records are meant. `about` names the column in the words of the task; null: the one that fits the kind. */
export type RowFilter =
  | { readonly kind: "all"; readonly filters: readonly RowFilter[] }
  | { readonly kind: "not"; readonly filter: RowFilter }
  /** Bounds are inclusive unless said otherwise; null: open on that side. */
  | {
      readonly kind: "amount";
      readonly about: string | null;
      readonly from: Bound | null;
      readonly to: Bound | null;
      readonly currency: string | null;
    }
  /** Days, inclusive, YYYY-MM-DD. */
  | { readonly kind: "date"; readonly about: string | null; readonly from: string | null; readonly to: string | null }
  | { readonly kind: "flag"; readonly about: string; readonly expected: boolean }
  | {
      readonly kind: "text";
      readonly about: string | null;
      readonly comparison: "contains" | "equals" | "starts" | "ends";
      readonly text: string;
    };

export interface Bound {
  readonly value: number;
  readonly isInclusive: boolean;
}
