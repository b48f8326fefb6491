import type { ObservedNode } from "../../browser/observation/observation.ts";
import { simplify } from "../../browser/observation/twin-fields.ts";
import { readRecordSets } from "../extraction/read-record-sets.ts";
import { findParty, type Party } from "./parties.ts";

/** A value that the page shows with a label. */
export interface ShownValue {
  readonly label: string;
  readonly value: string;
  readonly party: Party;
  /** The other labels beside it, for comparing. */
  readonly otherLabels: ReadonlySet<string>;
}

/** Labelled values and the only row of a table. Of several rows, each is about something else. */
export function readShownValues(root: ObservedNode): ShownValue[] {
  return readRecordSets(root).flatMap(({ kind, name, region, rows, columns }) => {
    if (region !== "main" || (kind !== "labelled" && (kind !== "table" || rows.length !== 1))) return [];
    return rows.flatMap(({ cells }) =>
      [...cells].map(([label, { text }]) => ({
        label,
        value: text,
        party: findParty([label, name]),
        otherLabels: new Set(columns.filter((each) => each !== label).map(simplify)),
      })),
    );
  });
}
