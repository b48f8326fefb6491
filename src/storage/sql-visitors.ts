import { sql } from "kysely";
import type { VisitorStore } from "../console/visitor.ts";
import type { Database } from "./database.ts";

export function createVisitorStore({ kysely }: Database): VisitorStore {
  return {
    async findOwner(userId) {
      const { rows } = await sql<{ id: string; balance: number; isFirst: boolean }>`
        select id, balance, id = (select id from owners order by id limit 1) as "isFirst"
        from owners where user_id = ${userId}
      `.execute(kysely);
      return rows[0] ?? null;
    },
  };
}
