import { type Static, Type } from "typebox";

const closed = { additionalProperties: false };

/** GET /console/api/credits/entries (`after`, `limit`): the owner's ledger, newest first. */
export const EntryQuery = Type.Object(
  {
    after: Type.Optional(Type.Integer({ minimum: 0 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  },
  closed,
);
export type EntryQuery = Static<typeof EntryQuery>;

export interface EntryList {
  balance: number;
  entries: LedgerEntry[];
  has_more: boolean;
}

export interface LedgerEntry {
  id: number;
  kind: "grant" | "reserve" | "capture" | "release";
  credits: number;
  /** The change of the balance. */
  change: number;
  execution_id: string | null;
  application: { id: string; name: string } | null;
  created_at: string;
}

/** GET /console/api/credits/usage (`days`: 1 to 365, default 30) */
export const UsageQuery = Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365 })) }, closed);
export type UsageQuery = Static<typeof UsageQuery>;

export interface Usage {
  /** Every day of the period in UTC, oldest first: "2026-03-11". */
  days: string[];
  /** Credits charged and executions created per day. */
  applications: { id: string; name: string; credits: number[]; executions: number[] }[];
}

/** POST /console/api/credits/grants → 201 `{ balance }`. Operators only. */
export const GrantBody = Type.Object(
  { owner_id: Type.String({ maxLength: 36 }), amount: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }) },
  closed,
);
export type GrantBody = Static<typeof GrantBody>;
