import type { ClientBase } from "pg";

/** What does not add up in the ledger. It cannot have come from restoring, so it is told and not refused. */
export async function findLedgerProblems(client: ClientBase): Promise<string[]> {
  const { rows: owners } = await client.query<{ id: string; balance: string; total: string }>(
    `select owners.id, balance::text, coalesce(sum(change), 0)::text as total
     from owners left join credit_entries on owner_id = owners.id
     group by owners.id having balance <> coalesce(sum(change), 0) order by owners.id`,
  );
  const { rows: executions } = await client.query<{ id: string }>(
    `select executions.id from executions left join credit_entries on execution_id = executions.id
     group by executions.id
     having count(*) filter (where kind = 'reserve') <> 1
       or count(*) filter (where kind = 'capture') <> (executions.status = 'COMPLETED')::int
       or count(*) filter (where kind = 'release') <> (executions.status = 'FAILED')::int
     order by executions.id limit 20`,
  );
  return [
    ...owners.map(({ id, balance, total }) => `owner ${id} has ${balance} credits, but the ledger says ${total}`),
    ...executions.map(({ id }) => `the entries of execution ${id} do not fit its state`),
  ];
}
