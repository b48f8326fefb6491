import type { LedgerEntry } from "../contract/console/credits.ts";

export interface ListedEntry {
  id: number;
  kind: LedgerEntry["kind"];
  credits: number;
  change: number;
  executionId: string | null;
  applicationId: string | null;
  applicationName: string | null;
  createdAt: Date;
}

/** What one application did on one day. */
export interface DayOfUse {
  /** In UTC: "2026-03-11". */
  day: string;
  applicationId: string;
  applicationName: string;
  credits: number;
  executions: number;
}

export interface ConsoleCreditStore {
  /** Newest first; the balance is of the same moment. */
  list(
    ownerId: string,
    page: { before: number | null; limit: number },
  ): Promise<{ balance: number; entries: ListedEntry[] }>;
  /** Of so many days up to today, which is the last; days without any use are left out. */
  listUse(ownerId: string, days: number): Promise<{ today: string; use: DayOfUse[] }>;
  isOwner(ownerId: string): Promise<boolean>;
}
