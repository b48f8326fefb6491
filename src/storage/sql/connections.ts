import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import type { Connection, ConnectionStore, ConnectionTerms, ListedConnection } from "../../connections/connections.ts";
import type { ConnectionPage, ConsoleConnectionStore, VisibleConnection } from "../../console/connections.ts";
import { CONNECTION_STOPPED } from "../../executions/outcomes.ts";
import { createBatcher } from "../../lib/batcher.ts";
import { type Database, LOOKUP_BATCHES, prepared } from "../database.ts";
import { createConnectionDeletion, type DeletionDependencies, deleteTokens, lockConnection } from "./deletion.ts";
import type { Schema } from "./schema.ts";
import { forgetSignIn, stopConnection } from "./sign-ins.ts";
import { type LimitColumns, toSpendingLimits } from "./spending.ts";

export function createConnectionStore({ kysely, pool }: Database): ConnectionStore {
  const findByTokens = prepared(
    pool,
    "connection-by-token",
    `select connections.id, application_id as "applicationId", user_id as "userId", state
     from unnest($1::bytea[]) with ordinality as asked (token_hash, position)
     left join access_tokens using (token_hash)
     left join connections on connections.id = access_tokens.connection_id
     order by position`,
  );
  // Every request needs one: concurrent lookups share a round trip.
  const findByToken = createBatcher<Buffer, Connection | { id: null }>({
    load: (tokenHashes) => findByTokens<Connection | { id: null }>([tokenHashes]),
    ...LOOKUP_BATCHES,
  });

  return {
    connect: (applicationId, userId) => connectWithoutSignIn(kysely, applicationId, userId),

    async find(id) {
      const { rows } = await sql<Connection>`
        select ${COLUMNS} from connections where connections.id = ${id}
      `.execute(kysely);
      return rows[0] ?? null;
    },

    async list({ applicationId, userEmail }) {
      const { rows } = await sql<ListedConnection>`
        select ${COLUMNS}, applications.name as "applicationName", users.email as "userEmail",
          connections.created_at as "createdAt", signed_in_at as "signedInAt", checked_at as "checkedAt"
        from connections
        join applications on applications.id = application_id
        join users on users.id = user_id
        left join saved_sign_ins on saved_sign_ins.connection_id = connections.id
        where application_id = coalesce(${applicationId}, application_id) and users.email = coalesce(${userEmail}, users.email)
        order by connections.id
      `.execute(kysely);
      return rows;
    },

    async getTerms(id) {
      const { rows } = await sql<ConnectionTerms>`
        select case when 'commits' in (connections.approval, applications.approval) then 'commits' else 'never' end as approval,
          owners.balance
        from connections
        join applications on applications.id = application_id
        join owners on owners.id = owner_id
        where connections.id = ${id}
      `.execute(kysely);
      const [terms] = rows;
      if (terms === undefined) throw new Error("The connection was deleted during the request");
      return terms;
    },

    replaceToken: (connectionId, tokenHash) => replaceToken(kysely, connectionId, tokenHash, null),
    async findByToken(tokenHash) {
      const connection = await findByToken(tokenHash);
      return connection.id === null ? null : connection;
    },
  };
}

type Executor = Kysely<Schema> | Transaction<Schema>;

const COLUMNS = sql.raw('connections.id, application_id as "applicationId", user_id as "userId", connections.state');

/** For a user who has agreed and, if the application requires it, signed in. */
export function activateConnection(executor: Executor, applicationId: string, userId: string): Promise<Connection> {
  return upsert(executor, applicationId, userId, sql`'ACTIVE'`);
}

/** Without a sign-in. If the application requires one, the state of an existing connection does not change. */
function connectWithoutSignIn(executor: Executor, applicationId: string, userId: string): Promise<Connection> {
  return upsert(
    executor,
    applicationId,
    userId,
    sql`(
      select case when sign_in_url is null then 'ACTIVE' else connections.state end
      from applications where applications.id = connections.application_id
    )`,
  );
}

async function upsert(
  executor: Executor,
  applicationId: string,
  userId: string,
  state: RawBuilder<unknown>,
): Promise<Connection> {
  const { rows } = await sql<Connection>`
    insert into connections (application_id, user_id) values (${applicationId}, ${userId})
    on conflict (application_id, user_id) do update set state = ${state}, updated_at = now()
    returning ${COLUMNS}
  `.execute(executor);
  const [connection] = rows;
  if (connection === undefined) throw new Error("The connection was neither found nor created");
  return connection;
}

export async function replaceToken(
  executor: Executor,
  connectionId: string,
  tokenHash: Buffer,
  codeHash: Buffer | null,
): Promise<void> {
  await sql`
    insert into access_tokens (connection_id, token_hash, code_hash) values (${connectionId}, ${tokenHash}, ${codeHash})
    on conflict (connection_id) do update
    set token_hash = excluded.token_hash, code_hash = excluded.code_hash, created_at = now()
  `.execute(executor);
}

export function createConsoleConnectionStore(dependencies: DeletionDependencies): ConsoleConnectionStore {
  const { database, notifications } = dependencies;
  const { kysely } = database;

  async function select(rest: RawBuilder<unknown>): Promise<VisibleConnection[]> {
    const { rows } = await sql<ConnectionRow>`
      select connections.id, application_id as "applicationId", connections.user_id as "userId", connections.state,
        connections.created_at as "createdAt", users.email as "userEmail", connections.approval,
        spending_currency, spending_per_errand, spending_per_month,
        signed_in_at as "signedInAt",
        sign_in_credentials.saved_at as "credentialsSavedAt", renewed_at as "renewedAt", failed_at as "failedAt", failure,
        stored_credentials as "storedCredentials",
        exists (select 1 from access_tokens where connection_id = connections.id) as "hasToken",
        applications.name, access, home_url as "homeUrl", sign_in_url as "signInUrl", allowed_hosts as "allowedHosts",
        last.id as "lastId", last.status as "lastStatus", last.created_at as "lastCreatedAt"
      ${FROM}
      left join saved_sign_ins on saved_sign_ins.connection_id = connections.id
      left join sign_in_credentials on sign_in_credentials.connection_id = connections.id
      left join lateral (${LAST_EXECUTION}) as last on true
      ${rest}
    `.execute(kysely);
    return rows.map(toSeenConnection);
  }

  /** Newest first, within `bound`. Nothing comes after an unknown cursor, so the cursor is checked only for an empty page. */
  async function list(bound: RawBuilder<unknown>, wanted: RawBuilder<string>, page: ConnectionPage) {
    const { after, limit, text } = page;
    const isWanted = text === null ? sql`true` : sql`position(lower(${text}::text) in lower(${wanted})) > 0`;
    const isNext =
      after === null
        ? sql`true`
        : sql`connections.id < (select connections.id ${FROM} where ${bound} and connections.id = ${after})`;
    const found = await select(sql`
      where ${bound} and ${isWanted} and ${isNext}
      order by connections.id desc limit ${limit}
    `);
    if (after === null || found.length > 0) return found;
    const { rows } = await sql`select 1 ${FROM} where ${bound} and connections.id = ${after}`.execute(kysely);
    return rows.length > 0 ? found : null;
  }

  return {
    listOfApplication: (ownerId, applicationId, page) =>
      list(sql`application_id = ${applicationId} and owner_id = ${ownerId}`, sql`users.email`, page),

    listOfUser: (userId, page) => list(sql`connections.user_id = ${userId}`, sql`applications.name`, page),

    async find({ person, owner }, id) {
      const [connection] = await select(sql`
        where connections.id = ${id} and (connections.user_id = ${person.id} or owner_id = ${owner?.id ?? null})
      `);
      return connection ?? null;
    },

    async stop(id) {
      await stopConnection(kysely, notifications, id, { outcome: CONNECTION_STOPPED, change: async () => true });
    },

    async disconnect(id) {
      await stopConnection(kysely, notifications, id, { outcome: CONNECTION_STOPPED, change: disconnect });
    },

    async deleteToken(id) {
      await kysely.transaction().execute(async (tx) => {
        await lockConnection(tx, id);
        await deleteTokens(tx, id);
      });
    },

    delete: createConnectionDeletion(dependencies),
  };
}

/** Takes away everything that the application could act with. */
async function disconnect(tx: Transaction<Schema>, id: string): Promise<true> {
  await deleteTokens(tx, id);
  await forgetSignIn(tx, id);
  await sql`
    delete from sign_in_attempts using connections
    where connections.id = ${id} and sign_in_attempts.application_id = connections.application_id
      and sign_in_attempts.user_id = connections.user_id
  `.execute(tx);
  return true;
}

const FROM = sql`
  from connections
  join applications on applications.id = application_id
  join users on users.id = connections.user_id`;

// The row comparison forces the index executions_of_connection.
const LAST_EXECUTION = sql`
  select executions.id, executions.status, executions.created_at from executions
  where connection_id >= connections.id
    and (connection_id, executions.id) <= (connections.id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
  order by connection_id desc, executions.id desc limit 1`;

interface ConnectionRow
  extends Omit<VisibleConnection, "application" | "lastExecution" | "spendingLimits" | "renewal">,
    LimitColumns {
  name: string;
  access: VisibleConnection["application"]["access"];
  homeUrl: string | null;
  signInUrl: string | null;
  allowedHosts: string[];
  storedCredentials: boolean;
  credentialsSavedAt: Date | null;
  renewedAt: Date | null;
  failedAt: Date | null;
  failure: string | null;
  lastId: string | null;
  lastStatus: NonNullable<VisibleConnection["lastExecution"]>["status"];
  lastCreatedAt: Date;
}

function toSeenConnection(row: ConnectionRow): VisibleConnection {
  const { name, access, homeUrl, signInUrl, allowedHosts, storedCredentials, ...others } = row;
  const {
    lastId,
    lastStatus,
    lastCreatedAt,
    credentialsSavedAt: savedAt,
    renewedAt,
    failedAt,
    failure,
    ...rest
  } = others;
  const { spending_currency, spending_per_errand, spending_per_month, ...connection } = rest;
  return {
    ...connection,
    spendingLimits: toSpendingLimits({ spending_currency, spending_per_errand, spending_per_month }),
    application: { name, access, homeUrl, signInUrl, allowedHosts, storedCredentials },
    renewal: savedAt && { savedAt, renewedAt, failedAt, failure },
    lastExecution: lastId === null ? null : { id: lastId, status: lastStatus, createdAt: lastCreatedAt },
  };
}
