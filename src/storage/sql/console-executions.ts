import { type RawBuilder, sql } from "kysely";
import type {
  AccessScope,
  ConsoleExecutionStore,
  ExecutionFilter,
  ListedExecution,
  VisibleExecution,
} from "../../console/executions.ts";
import { parseUuid, smallestUuidAt } from "../../lib/uuid.ts";
import type { Database } from "../database.ts";

const PROMPT_LENGTH = 300;
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
// An id is generated slightly after created_at, which is the start of the transaction. At most this much.
const CREATE_MAX_MS = 60_000;

type Row = Omit<ListedExecution, "terminal"> & { terminalStatus: string | null; terminalReason: string | null };

export function createConsoleExecutionStore({ kysely }: Database): ConsoleExecutionStore {
  return {
    // The newest of each connection, from the index executions_of_connection, then the newest of those. The row comparison
    // keeps PostgreSQL from scanning the primary key instead, through all newer executions of others.
    async list(viewer, filter, { before, limit }) {
      const { rows } = await sql<Row>`
        with visible as (${visibleConnections(viewer, filter)}), newest as (
          select found.id from visible cross join lateral (
            select executions.id from executions
            where (connection_id, executions.id) >= (visible.id, ${lowestId(filter)}::uuid)
              and (connection_id, executions.id) < (visible.id, ${highestId(filter, before)}::uuid)
              ${conditions(filter)}
            order by connection_id desc, executions.id desc limit ${limit}
          ) as found
          order by found.id desc limit ${limit}
        )
        select executions.id, executions.status, terminal_status as "terminalStatus", terminal_reason as "terminalReason",
          left(prompt, ${PROMPT_LENGTH}) as prompt, credits, charged, executions.created_at as "createdAt",
          completed_at as "completedAt", connection_id as "connectionId", users.email as "userEmail",
          applications.id as "applicationId", applications.name as "applicationName",
          exists (
            select from interactions where execution_id = executions.id and state = 'open' and expires_at > now()
          ) as "isWaiting"
        from newest
        join executions on executions.id = newest.id
        join connections on connections.id = connection_id
        join applications on applications.id = application_id
        join users on users.id = connections.user_id
        order by executions.id desc
      `.execute(kysely);
      return rows.map(toListed);
    },

    async find({ ownerId, userId }, executionId) {
      const { rows } = await sql<VisibleExecution>`
        select executions.id, connection_id as "connectionId", users.email as "userEmail",
          applications.id as "applicationId", applications.name as "applicationName",
          coalesce(owner_id = ${ownerId}, false) as "isOwned"
        from executions
        join connections on connections.id = connection_id
        join applications on applications.id = application_id
        join users on users.id = connections.user_id
        where executions.id = ${executionId} and (owner_id = ${ownerId} or connections.user_id = ${userId})
      `.execute(kysely);
      return rows[0] ?? null;
    },

    async isConnectionOf(ownerId, connectionId) {
      const { rows } = await sql`
        select 1 from connections join applications on applications.id = application_id
        where connections.id = ${connectionId} and owner_id = ${ownerId}
      `.execute(kysely);
      return rows.length > 0;
    },
  };
}

function visibleConnections({ ownerId, userId }: AccessScope, { applicationId, connectionId }: ExecutionFilter) {
  const chosen = all([
    applicationId === null ? null : sql`application_id = ${applicationId}`,
    connectionId === null ? null : sql`connections.id = ${connectionId}`,
  ]);
  return sql`
    select connections.id from applications join connections on application_id = applications.id
    where owner_id = ${ownerId} ${chosen}
    union
    select connections.id from connections where user_id = ${userId} ${chosen}`;
}

function lowestId({ since }: ExecutionFilter): string {
  return smallestUuidAt(since ?? new Date(0));
}

function highestId({ until }: ExecutionFilter, before: string | null): string {
  const bound = until === null ? LAST_ID : smallestUuidAt(new Date(until.getTime() + CREATE_MAX_MS));
  return before !== null && before < bound ? before : bound;
}

function conditions({ status, outcome, text, since, until }: ExecutionFilter): RawBuilder<unknown> {
  return all([
    status === null ? null : sql`status = ${status}`,
    outcome === null ? null : sql`terminal_status = ${outcome}`,
    text === null ? null : sql`(prompt ilike ${likePattern(text)} or executions.id = ${parseUuid(text.trim())})`,
    since === null ? null : sql`created_at >= ${since}`,
    until === null ? null : sql`created_at < ${until}`,
  ]);
}

/** Joins the conditions, each with a leading `and`. */
function all(parts: (RawBuilder<unknown> | null)[]): RawBuilder<unknown> {
  const present = parts.filter((part) => part !== null);
  return present.length === 0 ? sql`` : sql`and ${sql.join(present, sql` and `)}`;
}

function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}

function toListed({ terminalStatus, terminalReason, ...row }: Row): ListedExecution {
  const status = terminalStatus as NonNullable<ListedExecution["terminal"]>["status"] | null;
  return { ...row, terminal: status === null ? null : { status, reason: terminalReason ?? "" } };
}
