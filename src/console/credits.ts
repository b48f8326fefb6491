import type { EntryList, EntryQuery, GrantBody, LedgerEntry, Usage, UsageQuery } from "../contract/console/credits.ts";
import type { Credits } from "../executions/credits.ts";
import { CallerError } from "../lib/errors.ts";
import { parseUuid } from "../lib/uuid.ts";

/** An owner's ledger and usage, and an operator's grants. */
export interface ConsoleCredits {
  list(ownerId: string, query: EntryQuery): Promise<EntryList>;
  getUsage(ownerId: string, query: UsageQuery): Promise<Usage>;
  /** Returns the new balance. */
  grant(body: GrantBody): Promise<number>;
}

interface ConsoleCreditsDependencies {
  store: ConsoleCreditStore;
  credits: Pick<Credits, "grant">;
}

const DEFAULT_LIMIT = 50;
const DEFAULT_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1_000;

export function createConsoleCredits({ store, credits }: ConsoleCreditsDependencies): ConsoleCredits {
  return {
    async list(ownerId, { after, limit = DEFAULT_LIMIT }) {
      // One more than requested shows whether there are more.
      const { balance, entries } = await store.list(ownerId, { before: after ?? null, limit: limit + 1 });
      return { balance, entries: entries.slice(0, limit).map(toWire), has_more: entries.length > limit };
    },

    async getUsage(ownerId, { days: count = DEFAULT_DAYS }) {
      const { today, use } = await store.listUse(ownerId, count);
      const days = listDays(today, count);
      const byApplication = Map.groupBy(use, ({ applicationId }) => applicationId);
      return { days, applications: [...byApplication.values()].map((ofOne) => toApplicationUsage(ofOne, days)) };
    },

    async grant({ owner_id, amount }) {
      const ownerId = parseUuid(owner_id);
      if (ownerId === null || !(await store.isOwner(ownerId))) {
        throw new CallerError("NOT_FOUND", "There is no owner with this id.");
      }
      return credits.grant(ownerId, amount);
    },
  };
}

function toWire(entry: ListedEntry): LedgerEntry {
  const { id, kind, credits, change, executionId, applicationId, applicationName, createdAt } = entry;
  return {
    id,
    kind,
    credits,
    change,
    execution_id: executionId,
    application: applicationId === null ? null : { id: applicationId, name: applicationName ?? "" },
    created_at: createdAt.toISOString(),
  };
}

/** Oldest first. */
function listDays(today: string, count: number): string[] {
  const last = Date.parse(`${today}T00:00:00Z`);
  return Array.from({ length: count }, (_, index) =>
    new Date(last - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

function toApplicationUsage(use: DailyUsage[], days: string[]): Usage["applications"][number] {
  const byDay = new Map(use.map((one) => [one.day, one]));
  return {
    id: use[0]?.applicationId ?? "",
    name: use[0]?.applicationName ?? "",
    credits: days.map((day) => byDay.get(day)?.credits ?? 0),
    executions: days.map((day) => byDay.get(day)?.executions ?? 0),
  };
}

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

/** One application's usage on one day. */
export interface DailyUsage {
  /** In UTC, such as "2026-03-11". */
  day: string;
  applicationId: string;
  applicationName: string;
  credits: number;
  executions: number;
}

export interface ConsoleCreditStore {
  /** Newest first, with the balance at the same moment. */
  list(
    ownerId: string,
    page: { before: number | null; limit: number },
  ): Promise<{ balance: number; entries: ListedEntry[] }>;
  /** The last `days` days including today; days without usage are left out. */
  listUse(ownerId: string, days: number): Promise<{ today: string; use: DailyUsage[] }>;
  isOwner(ownerId: string): Promise<boolean>;
}
