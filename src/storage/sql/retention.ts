import { sql } from "kysely";
import type { ArtifactName, RetentionStore } from "../../executions/retention.ts";
import { smallestUuidAt } from "../../lib/uuid.ts";
import type { Database } from "../database.ts";

export function createRetentionStore({ kysely }: Database): RetentionStore {
  return {
    async now() {
      const { rows } = await sql<{ now: Date }>`select now()`.execute(kysely);
      return rows[0]?.now ?? new Date(0);
    },

    // Ids start with their creation time, so the primary key yields the oldest first.
    async listEnded(before, { after, limit }) {
      const { rows } = await sql<{ id: string }>`
        select id from executions
        where id > ${after} and id < ${smallestUuidAt(before)} and completed_at < ${before}
        order by id limit ${limit}
      `.execute(kysely);
      return rows.map(({ id }) => id);
    },

    async deleteEnded(executionIds) {
      const { rows } = await sql`
        with ended as (
          select id from executions
          where id = any(${executionIds}::uuid[]) and status in ('COMPLETED', 'FAILED')
          order by id for update skip locked
        )
        delete from executions using ended where executions.id = ended.id returning executions.id
      `.execute(kysely);
      return rows.length;
    },

    // Uses the index execution_artifacts_unexpired.
    async listWithArtifacts(before, { after, limit }) {
      const { rows } = await sql<{ id: string }>`
        select distinct execution_id as id from execution_artifacts
        where expired_at is null and execution_id > ${after} and execution_id < ${smallestUuidAt(before)}
          and exists (select 1 from executions where id = execution_id and completed_at < ${before})
        order by execution_id limit ${limit}
      `.execute(kysely);
      return rows.map(({ id }) => id);
    },

    async markExpired(executionIds) {
      await sql`
        update execution_artifacts set expired_at = now()
        where execution_id = any(${executionIds}::uuid[]) and expired_at is null
      `.execute(kysely);
    },

    async findOrphans(files, endedBefore) {
      const { rows } = await sql<ArtifactName>`
        select file.execution_id as "executionId", file.id as "artifactId"
        from unnest(
          ${files.map(({ executionId }) => executionId)}::uuid[], ${files.map(({ artifactId }) => artifactId)}::uuid[]
        ) as file (execution_id, id)
        join executions on executions.id = file.execution_id and executions.completed_at < ${endedBefore}
        where not exists (
          select 1 from execution_artifacts
          where execution_artifacts.id = file.id and execution_artifacts.execution_id = file.execution_id
            and expired_at is null
        )
      `.execute(kysely);
      return rows;
    },

    async deleteExpired(before, limit) {
      const { rows } = await sql`
        with old_sessions as (
          delete from sessions
          where id in (select id from sessions where expires_at < ${before} limit ${limit} for update skip locked)
          returning 1
        ), old_codes as (
          delete from authorization_codes
          where code_hash in (
            select code_hash from authorization_codes where expires_at < ${before} limit ${limit} for update skip locked
          )
          returning 1
        ), old_attempts as (
          delete from sign_in_attempts
          where id in (select id from sign_in_attempts where expires_at < ${before} limit ${limit} for update skip locked)
          returning 1
        ), old_verifications as (
          delete from verifications
          where id in (select id from verifications where expires_at < ${before} limit ${limit} for update skip locked)
          returning 1
        )
        select 1 from old_sessions union all select 1 from old_codes
        union all select 1 from old_attempts union all select 1 from old_verifications
      `.execute(kysely);
      return rows.length;
    },
  };
}
