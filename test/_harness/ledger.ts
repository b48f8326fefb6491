import { expect } from "vitest";
import type { TestDatabase } from "./database.ts";

/** Invariant 3: ledger sum = balance ≥ 0; one reserve and at most one settlement per execution. */
export async function expectLedgerAddsUp({ database }: { database: Pick<TestDatabase, "query"> }): Promise<void> {
  const wrong = await database.query(
    `select owners.id, balance, coalesce(sum(change), 0) as total
     from owners left join credit_entries on owner_id = owners.id
     group by owners.id having balance <> coalesce(sum(change), 0) or balance < 0`,
  );
  expect(wrong, "an owner's balance is not the sum of the ledger").toEqual([]);
  const unpaid = await database.query(
    `select executions.id from executions
     left join credit_entries on execution_id = executions.id
     group by executions.id
     having count(*) filter (where kind = 'reserve') <> 1
       or count(*) filter (where kind = 'capture') <> (executions.status = 'COMPLETED')::int
       or count(*) filter (where kind = 'release') <> (executions.status = 'FAILED')::int`,
  );
  expect(unpaid, "an execution's entries do not fit its state").toEqual([]);
}
