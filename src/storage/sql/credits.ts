import { sql } from "kysely";
import type { ConsoleCreditStore, DailyUsage, ListedEntry } from "../../console/credits.ts";
import { type CreditStore, countCredits } from "../../executions/credits.ts";
import type { Database } from "../database.ts";

export function createCreditStore({ kysely }: Database): CreditStore {
  return {
    async grant(ownerId, credits) {
      const { rows } = await sql<{ balance: number }>`
        with entry as (
          insert into credit_entries (owner_id, kind, credits) values (${ownerId}, 'grant', ${credits})
        )
        update owners set balance = balance + ${credits}, credits_low_told = false
        where id = ${ownerId} returning balance
      `.execute(kysely);
      const [owner] = rows;
      if (owner === undefined) throw new Error(`There is no owner ${ownerId}`);
      countCredits("grant", credits);
      return owner.balance;
    },

    async getBalance(ownerId) {
      const { balance } = await kysely
        .selectFrom("owners")
        .select("balance")
        .where("id", "=", ownerId)
        .executeTakeFirstOrThrow();
      return balance;
    },
  };
}

const LAST_ID = Number.MAX_SAFE_INTEGER;

export function createConsoleCreditStore({ kysely }: Database): ConsoleCreditStore {
  return {
    // The row comparison forces the index credit_entries_owner. Otherwise PostgreSQL may scan the primary key through all newer
    // entries of others.
    async list(ownerId, { before, limit }) {
      const { rows } = await sql<{ balance: number } & (ListedEntry | { id: null })>`
        select balance, entry.id, kind, credits, change, execution_id as "executionId",
          application_id as "applicationId", ${APPLICATION_NAME} as "applicationName", entry.created_at as "createdAt"
        from owners
        left join lateral (
          select * from credit_entries
          where owner_id >= owners.id and (owner_id, id) < (owners.id, ${before ?? LAST_ID}::int8)
          order by owner_id desc, id desc limit ${limit}
        ) as entry on true
        left join applications on applications.id = application_id
        left join former_applications on former_applications.id = application_id
        where owners.id = ${ownerId}
        order by entry.id desc
      `.execute(kysely);
      const entries = rows.filter((row) => row.id !== null).map(({ balance: _, ...entry }) => entry);
      return { balance: rows[0]?.balance ?? 0, entries };
    },

    // Each execution has exactly one reserve entry, created with it.
    async listUse(ownerId, days) {
      const { rows } = await sql<{ today: string } & (DailyUsage | { day: null })>`
        with period as (
          select today, (today - ${days - 1}::int)::timestamp at time zone 'utc' as beginning
          from (select (now() at time zone 'utc')::date as today) as clock
        ), use as (
          select (created_at at time zone 'utc')::date as day, application_id,
            coalesce(sum(credits) filter (where kind = 'capture'), 0)::int8 as credits,
            count(*) filter (where kind = 'reserve') as executions
          from credit_entries
          where owner_id = ${ownerId} and kind in ('reserve', 'capture') and created_at >= (select beginning from period)
          group by 1, 2
        )
        select today::text, day::text, application_id as "applicationId", ${APPLICATION_NAME} as "applicationName", credits, executions
        from period
        left join use on true
        left join applications on applications.id = application_id
        left join former_applications on former_applications.id = application_id
        order by "applicationName", application_id, day
      `.execute(kysely);
      return { today: rows[0]?.today ?? "", use: rows.filter((row) => row.day !== null) };
    },

    async isOwner(ownerId) {
      const { rows } = await sql`select 1 from owners where id = ${ownerId}`.execute(kysely);
      return rows.length > 0;
    },
  };
}

const APPLICATION_NAME = sql`coalesce(applications.name, former_applications.name)`;
