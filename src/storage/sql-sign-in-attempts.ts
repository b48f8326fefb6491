import { sql } from "kysely";
import type { SignInAttempt, SignInAttemptStore } from "../connections/sign-in/sign-in-attempts.ts";
import type { Database } from "./database.ts";

export function createSignInAttemptStore({ kysely }: Database): SignInAttemptStore {
  return {
    async insert({ applicationId, userId, redirectUri, state, codeChallenge }, { lifetimeMs, memoryMs }) {
      await sql`delete from sign_in_attempts where expires_at < now() - ${memoryMs} * interval '1 millisecond'`.execute(
        kysely,
      );
      const { rows } = await sql<{ id: string }>`
        insert into sign_in_attempts (application_id, user_id, redirect_uri, state, code_challenge, expires_at)
        values (${applicationId}, ${userId}, ${redirectUri}, ${state}, ${codeChallenge},
          now() + ${lifetimeMs} * interval '1 millisecond')
        returning id
      `.execute(kysely);
      const [row] = rows;
      if (row === undefined) throw new Error("the sign-in was not stored");
      return row;
    },

    async find(id, userId) {
      const { rows } = await sql<SignInAttempt>`
        select id, application_id as "applicationId", user_id as "userId", redirect_uri as "redirectUri", state,
          code_challenge as "codeChallenge", outcome
        from sign_in_attempts
        where id = ${id} and user_id = ${userId} and expires_at > now()
      `.execute(kysely);
      return rows[0] ?? null;
    },

    async setTicket(id, ticketHash) {
      await sql`update sign_in_attempts set ticket_hash = ${ticketHash} where id = ${id}`.execute(kysely);
    },

    async spendTicket(id, ticketHash, nextHash) {
      const { rows } = await sql`
        update sign_in_attempts set ticket_hash = ${nextHash}
        where id = ${id} and ticket_hash = ${ticketHash}
        returning id
      `.execute(kysely);
      return rows.length > 0;
    },

    async conclude(id, outcome) {
      const { rows } = await sql`
        update sign_in_attempts set outcome = ${outcome} where id = ${id} and outcome is null returning id
      `.execute(kysely);
      return rows.length > 0;
    },
  };
}
