import { sql } from "kysely";
import type { ConsoleCreditStore, DayOfUse, ListedEntry } from "../console/credit-store.ts";
import type { Database } from "./database.ts";

export function createConsoleCreditStore({ kysely }: Database): ConsoleCreditStore {
  return {
    async list(ownerId, { before, limit }) {
      const { rows } = await sql<{ balance: number } & (ListedEntry | { id: null })>`
        select balance, entry.id, kind, credits, change, execution_id as "executionId",
          applications.id as "applicationId", applications.name as "applicationName", entry.created_at as "createdAt"
        from owners
        left join lateral (
          select * from credit_entries
          where owner_id = owners.id ${before === null ? sql`` : sql`and id < ${before}`}
          order by id desc limit ${limit}
        ) as entry on true
        left join executions on executions.id = execution_id
        left join connections on connections.id = connection_id
        left join applications on applications.id = application_id
        where owners.id = ${ownerId}
        order by entry.id desc
      `.execute(kysely);
      const entries = rows.filter((row) => row.id !== null).map(({ balance: _, ...entry }) => entry);
      return { balance: rows[0]?.balance ?? 0, entries };
    },

    async listUse(ownerId, days) {
      const { rows } = await sql<{ today: string } & (DayOfUse | { day: null })>`
        with period as (
          select today, ((today - ${days - 1}::int)::timestamp at time zone 'utc') as beginning
          from (select (now() at time zone 'utc')::date as today) as clock
        ), use as (
          select (entry.created_at at time zone 'utc')::date as day, application_id,
            coalesce(sum(entry.credits) filter (where kind = 'capture'), 0)::int8 as credits,
            count(*) filter (where kind = 'reserve') as executions
          from period
          join credit_entries as entry on entry.created_at >= beginning
          join executions on executions.id = execution_id
          join connections on connections.id = connection_id
          where owner_id = ${ownerId} and kind in ('reserve', 'capture')
          group by 1, 2
        )
        select today::text, day::text, applications.id as "applicationId", name as "applicationName", credits, executions
        from period
        left join (use join applications on applications.id = application_id) on true
        order by name, applications.id, day
      `.execute(kysely);
      return { today: rows[0]?.today ?? "", use: rows.filter((row) => row.day !== null) };
    },

    async isOwner(ownerId) {
      const { rows } = await sql`select 1 from owners where id = ${ownerId}`.execute(kysely);
      return rows.length > 0;
    },
  };
}
