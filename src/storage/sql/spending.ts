import { sql, type Transaction } from "kysely";
import type { SpendingLimits } from "../../contract/spending.ts";
import {
  explainExcess,
  type NewReservation,
  type ReservationResult,
  type SpendingStore,
} from "../../executions/spending.ts";
import type { Database } from "../database.ts";
import { lockConnection } from "./deletion.ts";
import type { Schema } from "./schema.ts";

export function createSpendingStore({ kysely }: Database): SpendingStore {
  return {
    reserve: (executionId, fence, reservation) =>
      kysely.transaction().execute((tx) => reserve(tx, executionId, fence, reservation)),

    async markSending(reservationId) {
      await append(reservationId, "send");
    },

    async settle(reservationId, kind) {
      await append(reservationId, kind);
    },
  };

  /** Changes nothing when the reservation was settled before. */
  async function append(reservationId: string, kind: "send" | "capture" | "release"): Promise<void> {
    await sql`
      insert into spending_entries (connection_id, execution_id, reservation_id, kind, amount, currency, month)
      select connection_id, execution_id, reservation_id, ${kind}, amount, currency, month
      from spending_entries where reservation_id = ${reservationId} and kind = 'reserve'
      on conflict do nothing
    `.execute(kysely);
  }
}

/** The limits in the columns of a connection or a sign-in attempt. */
export interface LimitColumns {
  spending_currency: string | null;
  spending_per_errand: number | null;
  spending_per_month: number | null;
}

export function toSpendingLimits(row: LimitColumns): SpendingLimits | null {
  const { spending_currency: currency, spending_per_errand: perErrand, spending_per_month: perMonth } = row;
  return currency === null ? null : { currency, perErrand, perMonth };
}

export function toLimitColumns(limits: SpendingLimits | null): LimitColumns {
  return {
    spending_currency: limits?.currency ?? null,
    spending_per_errand: limits?.perErrand ?? null,
    spending_per_month: limits?.perMonth ?? null,
  };
}

/** Separate statements after the lock, so that each sees what the previous holder of the lock has reserved. */
async function reserve(
  tx: Transaction<Schema>,
  executionId: string,
  fence: number,
  { id, amount, isApproved, at }: NewReservation,
): Promise<ReservationResult> {
  const running = await sql<{ connectionId: string }>`
    select connection_id as "connectionId" from executions
    where id = ${executionId} and fence = ${fence} and status = 'RUNNING'
  `.execute(tx);
  const [execution] = running.rows;
  if (execution === undefined) return { kind: "lease_lost" };
  const { connectionId } = execution;
  await lockConnection(tx, connectionId);
  const month = `${at.toISOString().slice(0, 7)}-01`;
  const { rows } = await sql<LimitColumns & { isHeld: boolean; isKnown: boolean; inErrand: number; inMonth: number }>`
    select spending_currency, spending_per_errand, spending_per_month,
      exists (
        select 1 from executions where id = ${executionId} and fence = ${fence} and status = 'RUNNING'
      ) as "isHeld",
      exists (select 1 from spending_entries where reservation_id = ${id}) as "isKnown",
      (
        select coalesce(sum(change), 0)::int8 from spending_entries
        where execution_id = ${executionId} and currency = spending_currency
      ) as "inErrand",
      (
        select coalesce(sum(change), 0)::int8 from spending_entries
        where connection_id = connections.id and month = ${month}::date and currency = spending_currency
      ) as "inMonth"
    from connections where id = ${connectionId}
  `.execute(tx);
  const [state] = rows;
  if (state?.isHeld !== true) return { kind: "lease_lost" };
  if (state.isKnown) return { kind: "reserved" };
  const limits = toSpendingLimits(state);
  if (limits === null) return { kind: "unlimited" };
  const why = isApproved ? null : explainExcess(amount, limits, state);
  if (why !== null) return { kind: "refused", why };
  await sql`
    insert into spending_entries (connection_id, execution_id, reservation_id, kind, amount, currency, month)
    values (${connectionId}, ${executionId}, ${id}, 'reserve', ${amount.minorUnits}, ${amount.currency}, ${month}::date)
  `.execute(tx);
  return { kind: "reserved" };
}
