import type { Pool } from "pg";
import type { ApplicationRules, Claim, QueueStore } from "../../executions/queue.ts";
import type { RecipeBody } from "../../recipes/recipe.ts";
import { prepared, QUICK_TIMEOUT_MS, withStatementTimeout } from "../database.ts";
import { countFailures } from "../database-metrics.ts";
import type { Notifications } from "../notifications.ts";
import { type ExecutionRow, executionColumns, toExecutionRecord } from "./execution-rows.ts";

// A connection whose sign-in is being checked does not run. There are never more of these than browsers for checks.
const IS_UNCHECKED = "(check_expires_at is null or check_expires_at <= now())";

// The index connections_ready has this order, so this takes the first row that is not locked.
const LONGEST_WAITING = `
  select id from connections
  where queued_since is not null and running_execution_id is null and ${IS_UNCHECKED}
  order by queued_since
  limit 1
  for no key update skip locked`;

// Uses the index executions_queued_with_recipe for each connection that waits.
const RUNS_WITH_RECIPE = `
  select executions.id from executions join recipes on recipes.id = executions.recipe_id and recipes.state = 'active'
  where status = 'QUEUED' and executions.recipe_id is not null`;

const LONGEST_WAITING_WITH_RECIPE = `
  select connections.id from connections join applications on applications.id = application_id and applications.recipes
  where queued_since is not null and running_execution_id is null and ${IS_UNCHECKED}
    and exists (${RUNS_WITH_RECIPE} and executions.connection_id = connections.id)
  order by queued_since
  limit 1
  for no key update of connections skip locked`;

const CONNECTION_OF = `
  select id from connections
  where id = (select connection_id from executions where id = $2 and status = 'QUEUED') and running_execution_id is null
    and ${IS_UNCHECKED}
  for no key update skip locked`;

const RULES = "applications.allowed_hosts, applications.home_url, applications.sign_in_url, applications.access";

// One statement is one transaction and one round trip. Its snapshot may be older than its lock on the connection, so it may
// miss an execution that was created in between: it never removes a connection from the queue. Events use clock_timestamp():
// the start of the transaction may be earlier than the previous event.
const claimSql = ({ connection, next }: { connection: string; next: string }) => `
  with locked as (
    ${connection}
  ), next as (
    ${next}
  ), execution as (
    update executions
    set status = 'RUNNING', fence = fence + 1, lease_expires_at = now() + $1 * interval '1 millisecond',
      last_event_id = last_event_id + 1, updated_at = clock_timestamp()
    from next
    where executions.id = next.id
    returning executions.*
  ), event as (
    insert into execution_events (execution_id, id, type, data, created_at)
    select execution.id, execution.last_event_id, 'execution.started', '{}', clock_timestamp() from execution
  ), connection as (
    update connections set running_execution_id = execution.id
    from execution
    where connections.id = execution.connection_id
    returning connections.id, state, application_id, connections.approval, spending_currency
  )
  select locked.id as locked_id, ${executionColumns("execution")}, execution.traceparent,
    execution.cancel_requested_at is not null as cancel_requested, recipe_versions.body as recipe_body,
    applications.recipes and not execution.recipe_off as learns, connection.state as connection_state, ${RULES},
    'commits' in (applications.approval, connection.approval, coalesce(execution.approval, 'never')) as asks_before_commits,
    connection.spending_currency is not null as has_spending_limits,
    exists (
      select 1 from webhook_endpoints
      where application_id = applications.id and disabled_at is null
        and (events is null or 'execution.interaction_required' = any (events))
    ) as tells_interactions
  from locked
  left join (execution join connection on connection.id = execution.connection_id
    join applications on applications.id = connection.application_id
    left join recipes on recipes.id = execution.recipe_id and recipes.state = 'active' and applications.recipes
    left join recipe_versions on recipe_versions.recipe_id = recipes.id
      and recipe_versions.version = execution.recipe_version) on true`;

// The row comparison of (connection_id, id) forces the index executions_queued. With "connection_id = $1 order by id"
// PostgreSQL may scan the primary key through the backlog of others.
const CLAIM_LONGEST_WAITING = claimSql({
  connection: LONGEST_WAITING,
  next: `select id from executions
    where status = 'QUEUED' and connection_id >= (select id from locked)
      and (connection_id, id) <= ((select id from locked), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by connection_id, id limit 1 for update`,
});
const CLAIM_WITH_RECIPE = claimSql({
  connection: LONGEST_WAITING_WITH_RECIPE,
  next: `${RUNS_WITH_RECIPE} and executions.connection_id = (select id from locked)
    order by executions.id limit 1 for update of executions`,
});
const CLAIM_ONE = claimSql({
  connection: CONNECTION_OF,
  next: "select id from executions where connection_id = (select id from locked) and status = 'QUEUED' and id = $2 for update",
});

// Statements sent together are one transaction in one round trip: the second sees every execution that was created before the
// lock. The id comes from the database.
const leaveQueueSql = (connectionId: string) => `
  select from connections where id = '${connectionId}' for no key update;
  update connections set queued_since = null
  where id = '${connectionId}' and not exists (
    select 1 from executions
    where status = 'QUEUED' and connection_id >= '${connectionId}'
      and (connection_id, id) <= ('${connectionId}', 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  )`;

const FIND_RULES = `
  select ${RULES} from connections join applications on applications.id = application_id where connections.id = $1`;

/** The part of the queue that gives executions to workers. */
export function createClaims(
  pool: Pool,
  notifications: Pick<Notifications, "send">,
): Pick<QueueStore, "claim" | "claimWithRecipe" | "claimOne" | "findRules"> {
  const claimLongestWaiting = prepared(pool, "queue-claim", CLAIM_LONGEST_WAITING);
  const claimWithRecipe = prepared(pool, "queue-claim-with-recipe", CLAIM_WITH_RECIPE);
  const claimOne = prepared(pool, "queue-claim-one", CLAIM_ONE);
  const findRules = prepared(pool, "queue-find-rules", FIND_RULES);

  function started(row: ClaimRow): Claim {
    notifications.send(row.id);
    return toClaim(row);
  }

  return {
    async claim(leaseMs) {
      for (;;) {
        const [row] = await claimLongestWaiting<ClaimRow | NothingToClaim>([leaseMs]);
        if (row === undefined) return null;
        if (row.id !== null) return started(row);
        // Its executions have ended or were canceled.
        await countFailures(pool.query(withStatementTimeout(QUICK_TIMEOUT_MS, { text: leaveQueueSql(row.locked_id) })));
      }
    },

    async claimWithRecipe(leaseMs) {
      const [row] = await claimWithRecipe<ClaimRow | NothingToClaim>([leaseMs]);
      return row === undefined || row.id === null ? null : started(row);
    },

    async claimOne(executionId, leaseMs) {
      const [row] = await claimOne<ClaimRow | NothingToClaim>([leaseMs, executionId]);
      return row === undefined || row.id === null ? null : started(row);
    },

    async findRules(connectionId) {
      const [row] = await findRules<RulesRow>([connectionId]);
      return row === undefined ? null : toRules(row);
    },
  };
}

interface RulesRow {
  allowed_hosts: string[];
  home_url: string | null;
  sign_in_url: string | null;
  access: ApplicationRules["access"];
}

interface ClaimRow extends ExecutionRow, RulesRow {
  connection_state: Claim["connectionState"];
  asks_before_commits: boolean;
  has_spending_limits: boolean;
  tells_interactions: boolean;
  traceparent: string | null;
  cancel_requested: boolean;
  /** Null: it has no recipe, or one that is no longer in use. */
  recipe_body: RecipeBody | null;
  learns: boolean;
}

/** The connection seems to have no queued execution. */
interface NothingToClaim {
  locked_id: string;
  id: null;
}

function toClaim(row: ClaimRow): Claim {
  return {
    execution: toExecutionRecord(row),
    fence: row.fence,
    connectionState: row.connection_state,
    application: toRules(row),
    approval: row.asks_before_commits ? "commits" : "never",
    hasSpendingLimits: row.has_spending_limits,
    tellsInteractions: row.tells_interactions,
    traceparent: row.traceparent,
    cancelRequested: row.cancel_requested,
    recipe: toRecipeUse(row),
    learns: row.learns,
  };
}

function toRecipeUse({ recipe_id: id, recipe_version: version, recipe_values, recipe_body: body }: ClaimRow) {
  return id === null || version === null || body === null ? null : { id, version, body, values: recipe_values ?? {} };
}

function toRules({ allowed_hosts, home_url, sign_in_url, access }: RulesRow): ApplicationRules {
  return { allowedHosts: allowed_hosts, homeUrl: home_url, signInUrl: sign_in_url, access };
}
