import type { ArtifactRecord, ArtifactStore } from "../../executions/artifacts.ts";
import { type Database, prepared } from "../database.ts";

const COLUMNS = `id, execution_id as "executionId", kind, name, content_type as "contentType", bytes, sha256,
  created_at as "createdAt", expired_at as "expiredAt"`;

// The row lock keeps the execution from ending in between: an ended execution gets no more artifacts.
const INSERT = `
  with execution as (
    select id from executions where id = $2 and fence = $8 and status = 'RUNNING' for no key update
  ), artifact as (
    insert into execution_artifacts (id, execution_id, kind, name, content_type, bytes, sha256)
    select $1, execution.id, $3, $4, $5, $6, $7 from execution
    on conflict (id) do nothing
  )
  select id from execution`;

const LIST = `select ${COLUMNS} from execution_artifacts where execution_id = $1 order by created_at, id`;

const FIND = `select ${COLUMNS} from execution_artifacts where id = $2 and execution_id = $1`;

export function createArtifactStore({ pool }: Database): ArtifactStore {
  const insert = prepared(pool, "artifact-insert", INSERT);
  const list = prepared(pool, "artifact-list", LIST);
  const find = prepared(pool, "artifact-find", FIND);

  return {
    async insert({ id, executionId, kind, name, contentType, bytes, sha256 }, fence) {
      return (await insert([id, executionId, kind, name, contentType, bytes, sha256, fence])).length > 0;
    },

    list: (executionId) => list<ArtifactRecord>([executionId]),

    async find(executionId, artifactId) {
      const [row] = await find<ArtifactRecord>([executionId, artifactId]);
      return row ?? null;
    },
  };
}
