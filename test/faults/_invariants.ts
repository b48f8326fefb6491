import { findMissingFiles } from "./_files.ts";
import type { Stage } from "./_stage.ts";

/** Checks what must hold whatever dies, with queries to the database and the site. */
export interface Invariants {
  /** All problems that were not reported before; empty when there are none. */
  findViolations(): Promise<string[]>;
  /** Everything that has ended by now must stay as it is. */
  rememberEndings(): Promise<void>;
}

/** Each finds rows that must not exist. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  "an owner's balance is not the sum of the ledger, or is below zero": `
    select owners.id, balance, coalesce(sum(change), 0) as total
    from owners left join credit_entries on owner_id = owners.id
    group by owners.id having balance <> coalesce(sum(change), 0) or balance < 0`,
  "an execution's entries in the ledger do not fit its state": `
    select executions.id, status, array_agg(kind) as kinds from executions
    left join credit_entries on execution_id = executions.id
    group by executions.id
    having count(*) filter (where kind = 'reserve') <> 1
      or count(*) filter (where kind = 'capture') <> (status = 'COMPLETED')::int
      or count(*) filter (where kind = 'release') <> (status = 'FAILED')::int`,
  "a month's spending is not the sum of what was sent and of what is still reserved": `
    select connection_id, month, spent, counted from (
      select connection_id, month, currency, sum(change) as spent from spending_entries group by 1, 2, 3
    ) as months
    join (
      select connection_id, month, currency, sum(amount) filter (where not is_released) as counted from (
        select connection_id, month, currency, reservation_id, max(amount) as amount, bool_or(kind = 'release') as is_released
        from spending_entries group by 1, 2, 3, 4
      ) as reservations group by 1, 2, 3
    ) as sums using (connection_id, month, currency)
    where spent <> coalesce(counted, 0)`,
  "an execution has spent more than once, or has settled the same twice": `
    select execution_id, array_agg(kind) as kinds from spending_entries
    group by execution_id
    having count(*) filter (where kind = 'capture') > 1
      or count(*) filter (where kind in ('capture', 'release')) > count(*) filter (where kind = 'reserve')`,
  "an execution has ended and has not settled what it reserved": `
    select executions.id, status from executions join spending_entries on execution_id = executions.id
    where status <> 'RUNNING'
    group by executions.id
    having count(*) filter (where kind = 'reserve') <> count(*) filter (where kind in ('capture', 'release'))`,
  "a connection is held by an execution that does not run": `
    select connections.id, executions.id as execution, status from connections
    left join executions on executions.id = running_execution_id
    where running_execution_id is not null and (status is distinct from 'RUNNING' or connection_id <> connections.id)`,
  "an execution runs that its connection does not know of": `
    select executions.id, running_execution_id from executions join connections on connections.id = connection_id
    where status = 'RUNNING' and running_execution_id is distinct from executions.id`,
  "more than one execution of a connection runs": `
    select connection_id from executions where status = 'RUNNING' group by connection_id having count(*) > 1`,
  "an execution waits whose connection does not stand in line": `
    select executions.id from executions join connections on connections.id = connection_id
    where status = 'QUEUED' and queued_since is null`,
  "events have gaps": `
    select executions.id, last_event_id, count(*), min(events.id), max(events.id)
    from executions left join execution_events as events on execution_id = executions.id
    group by executions.id
    having count(events.id) <> last_event_id or min(events.id) <> 1 or max(events.id) <> last_event_id`,
  "events are not in the order of time": `
    select execution_id, id from (
      select execution_id, id, created_at, lag(created_at) over (partition by execution_id order by id) as before
      from execution_events
    ) as events where created_at < before`,
  "an execution has not exactly one last event": `
    select executions.id, status from executions
    left join execution_events as events on execution_id = executions.id
    group by executions.id
    having count(*) filter (where type = 'execution.completed') <> (status = 'COMPLETED')::int
      or count(*) filter (where type = 'execution.failed') <> (status = 'FAILED')::int
      or (status in ('COMPLETED', 'FAILED')
        and max(events.id) filter (where type in ('execution.completed', 'execution.failed')) <> last_event_id)`,
  "an execution was started again after it had begun": `
    select steps.execution_id from execution_events as steps
    join execution_events as starts using (execution_id)
    where steps.type in ('step', 'verification') and starts.type = 'execution.started' and starts.id > steps.id`,
};

const ENDED = `
  select executions.id, md5(executions::text) as row,
    (select md5(string_agg(events::text, ' ' order by events.id)) from execution_events as events
     where execution_id = executions.id) as events
  from executions where status in ('COMPLETED', 'FAILED')`;

const ENDS: ReadonlySet<string> = new Set(["COMPLETED", "FAILED"]);

export function createInvariants(stage: Stage): Invariants {
  const { query, clients, site } = stage;
  const endings = new Map<string, string>();
  const said = new Set<string>();

  async function findForbidden(): Promise<string[]> {
    const found: string[] = [];
    for (const [wrong, text] of Object.entries(FORBIDDEN)) {
      const rows = await query(text);
      if (rows.length > 0) found.push(`${wrong}: ${JSON.stringify(rows.slice(0, 3))}`);
    }
    return found;
  }

  /** A final state never changes, down to the last byte. */
  async function findChangedEndings(): Promise<string[]> {
    const now = await readEndings();
    const changed = [...endings].filter(([id, before]) => now.get(id) !== before).map(([id]) => id);
    await rememberEndings();
    return changed.map((id) => `execution ${id} has changed after its end`);
  }

  async function readEndings(): Promise<Map<string, string>> {
    const rows = await query<{ id: string; row: string; events: string }>(ENDED);
    return new Map(rows.map(({ id, row, events }) => [id, `${row} ${events}`]));
  }

  /** The first version that was seen counts. */
  async function rememberEndings(): Promise<void> {
    for (const [id, ending] of await readEndings()) if (!endings.has(id)) endings.set(id, ending);
  }

  async function findLost(): Promise<string[]> {
    const rows = await query<{ id: string; status: string; key: string; paid: number }>(`
      select executions.id, status, idempotency_key as key, count(spending_entries.id)::int as paid from executions
      left join spending_entries on execution_id = executions.id and kind = 'capture'
      group by executions.id`);
    const stored = new Map(rows.map((row) => [row.key, row]));
    return [...clients.accepted.values()].flatMap(({ key, kind, id }) => {
      const row = stored.get(key);
      if (row?.id !== id) return [`execution ${id} with the key ${key} was answered 201 and is not there`];
      const orders = site.countOrders(key);
      if (orders > 1) return [`execution ${id} has ordered ${orders} times`];
      const isUnpaid = orders === 1 && ENDS.has(row.status) && row.paid !== 1;
      if (isUnpaid) return [`execution ${id} has ordered, and this does not count as spent`];
      const isWrong = kind === "order" && row.status === "COMPLETED" && orders !== 1;
      return isWrong ? [`execution ${id} says that it has ordered, and the site knows of nothing`] : [];
    });
  }

  return {
    rememberEndings,
    async findViolations() {
      const lists = await Promise.all([findForbidden(), findChangedEndings(), findLost(), findMissingFiles(stage)]);
      const news = [...clients.complaints, ...lists.flat()].filter((violation) => !said.has(violation));
      for (const violation of news) said.add(violation);
      return news;
    },
  };
}
