import { sql } from "kysely";
import { countCredits } from "../credits/credit-metrics.ts";
import type { CreditStore } from "../credits/credit-store.ts";
import type { Database } from "./database.ts";

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
      if (owner === undefined) throw new Error(`there is no owner ${ownerId}`);
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
