import { type Kysely, sql, type Transaction } from "kysely";
import type { SealedSignIn } from "../../connections/vault/saved-sign-in.ts";
import type { FoundSignIn, OAuthStore, StoredCode } from "../../oauth/oauth.ts";
import type { Database } from "../database.ts";
import { activateConnection, replaceToken } from "./connections.ts";
import { MCP_CLIENT, replaceMcpToken } from "./mcp-tokens.ts";
import type { Schema } from "./schema.ts";
import { saveSignIn } from "./sign-ins.ts";
import { toLimitColumns, toSpendingLimits } from "./spending.ts";

export function createOAuthStore({ kysely }: Database): OAuthStore {
  return {
    findSignIn: (applicationId, userId) => findSignIn(kysely, applicationId, userId),

    async findChoices(applicationId, userId) {
      const connection = await kysely
        .selectFrom("connections")
        .select(["approval", "spending_currency", "spending_per_errand", "spending_per_month"])
        .where("application_id", "=", applicationId)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      if (connection === undefined) return { approval: "never", spendingLimits: null };
      return { approval: connection.approval, spendingLimits: toSpendingLimits(connection) };
    },

    grantCode({
      applicationId,
      userId,
      codeHash,
      redirectUri,
      codeChallenge,
      client,
      lifetimeMs,
      memoryMs,
      signIn,
      ...choices
    }) {
      return kysely.transaction().execute(async (tx) => {
        if (
          signIn.kind === "saved" &&
          (await findSignIn(tx, applicationId, userId, "for update of connections")) === null
        )
          return false;
        if (signIn.kind === "new" && !(await concludeAttempt(tx, signIn.attemptId))) return false;
        const connection = await activateConnection(tx, applicationId, userId);
        await tx
          .updateTable("connections")
          .set({ approval: choices.approval, ...toLimitColumns(choices.spendingLimits) })
          .where("id", "=", connection.id)
          .execute();
        if (signIn.kind === "new") await saveSignIn(tx, connection.id, signIn.seal(connection.id));
        await tx
          .deleteFrom("authorization_codes")
          .where("connection_id", "=", connection.id)
          .where("expires_at", "<", fromNow(-memoryMs))
          .execute();
        await tx
          .insertInto("authorization_codes")
          .values({
            code_hash: codeHash,
            connection_id: connection.id,
            redirect_uri: redirectUri,
            code_challenge: codeChallenge,
            client_id: client?.id ?? null,
            client_name: client?.name ?? null,
            resource: client?.resource ?? null,
            expires_at: fromNow(lifetimeMs),
          })
          .execute();
        return true;
      });
    },

    exchangeCode(codeHash, decide) {
      return kysely.transaction().execute(async (tx) => {
        const { rows } = await sql<StoredCode>`
          select connections.id as "connectionId", application_id as "applicationId", user_id as "userId",
            redirect_uri as "redirectUri", code_challenge as "codeChallenge", ${MCP_CLIENT} as client,
            expires_at <= now() as "isExpired", used_at is not null as "isUsed"
          from authorization_codes join connections on connections.id = connection_id
          where code_hash = ${codeHash}
          for update of authorization_codes
        `.execute(tx);
        const [code] = rows;
        if (code === undefined) return null;
        const decision = decide(code);
        switch (decision.do) {
          case "refuse":
            return null;
          case "revoke":
            await sql`delete from access_tokens where code_hash = ${codeHash}`.execute(tx);
            await sql`delete from mcp_tokens where code_hash = ${codeHash}`.execute(tx);
            return null;
          case "issue":
            await tx
              .updateTable("authorization_codes")
              .set({ used_at: sql`now()` })
              .where("code_hash", "=", codeHash)
              .execute();
            if (code.client === null) await replaceToken(tx, code.connectionId, decision.tokenHash, codeHash);
            else await replaceMcpToken(tx, code.connectionId, code.client, decision.tokenHash, codeHash);
            return code;
        }
      });
    },

    async revokeToken(tokenHash, applicationId) {
      await kysely
        .deleteFrom("access_tokens")
        .using("connections")
        .whereRef("connections.id", "=", "access_tokens.connection_id")
        .where("token_hash", "=", tokenHash)
        .where("application_id", "=", applicationId)
        .execute();
    },
  };
}

function fromNow(ms: number) {
  return sql<Date>`now() + ${ms} * interval '1 millisecond'`;
}

async function findSignIn(
  executor: Kysely<Schema> | Transaction<Schema>,
  applicationId: string,
  userId: string,
  lock: "for update of connections" | "" = "",
): Promise<FoundSignIn | null> {
  const { rows } = await sql<Omit<FoundSignIn, "sealed"> & SealedSignIn>`
    select connections.id as "connectionId", signed_in_at as "signedInAt", key_id as "keyId", wrapped_key as "wrappedKey",
      ciphertext
    from connections join saved_sign_ins on saved_sign_ins.connection_id = connections.id
    where application_id = ${applicationId} and user_id = ${userId} and connections.state = 'ACTIVE'
    ${sql.raw(lock)}
  `.execute(executor);
  const [row] = rows;
  if (row === undefined) return null;
  const { connectionId, signedInAt, keyId, wrappedKey, ciphertext } = row;
  return { connectionId, signedInAt, sealed: { keyId, wrappedKey, ciphertext } };
}

async function concludeAttempt(tx: Transaction<Schema>, attemptId: string): Promise<boolean> {
  const { rows } = await sql`
    update sign_in_attempts set outcome = 'code' where id = ${attemptId} and outcome is null returning id
  `.execute(tx);
  return rows.length > 0;
}
