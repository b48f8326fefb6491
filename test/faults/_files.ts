import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { sweepFiles } from "../../src/executions/retention.ts";
import { createArtifactFolder } from "../../src/storage/artifacts/folder.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createRetentionStore } from "../../src/storage/sql/retention.ts";
import type { Stage } from "./_stage.ts";

/** Every listed artifact of an execution has its file. */
export async function findMissingFiles({ query, dataDir }: Stage): Promise<string[]> {
  const rows = await query<Kept>("select id, execution_id from execution_artifacts");
  const missing = await Promise.all(
    rows.map(({ id, execution_id }) =>
      access(join(dataDir, "artifacts", execution_id, id)).then(
        () => [],
        () => [`artifact ${id} of execution ${execution_id} is listed, and its file is not there`],
      ),
    ),
  );
  return missing.flat();
}

/** As if the grace period for orphaned files were over: afterwards there are none, including drafts. */
export async function findLeftFiles({ query, dataDir, postgres }: Stage): Promise<string[]> {
  const connectionString = postgres.url(postgres.port());
  await using database = openDatabase({ connectionString, poolSize: 2, onError: () => {} });
  const tomorrow = new Date(Date.now() + 24 * 60 * 60_000);
  const parts = { store: createRetentionStore(database), files: createArtifactFolder(dataDir) };
  await sweepFiles(parts, tomorrow, new AbortController().signal);
  const rows = await query<Kept>("select id, execution_id from execution_artifacts");
  const listed = new Set(rows.map(({ id, execution_id }) => join(execution_id, id)));
  const root = join(dataDir, "artifacts");
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((name) => !listed.has(name))
    .map((name) => `nothing leads to the file ${name}, and it was not swept`);
}

interface Kept {
  id: string;
  execution_id: string;
}
