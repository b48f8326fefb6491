import type { ArtifactFiles } from "../executions/artifact-store.ts";
import { FIRST_ID, type Page, type RetentionStore } from "./retention-store.ts";

interface RemovalDependencies {
  store: RetentionStore;
  files: Pick<ArtifactFiles, "removeAll">;
}

const AT_ONCE = 100;

/** Removes executions that ended before this time, with all that they have kept; answers how many. */
export async function removeOldExecutions(
  { store, files }: RemovalDependencies,
  before: Date,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for await (const ids of listPages((page) => store.listEnded(before, page), signal)) {
    // What has ended gains no more files. They go before the rows that lead to them.
    await Promise.all(ids.map((id) => files.removeAll(id)));
    removed += await store.deleteEnded(ids);
  }
  return removed;
}

/** Removes the files of executions that ended before this time; answers of how many. */
export async function removeOldArtifacts(
  { store, files }: RemovalDependencies,
  before: Date,
  signal: AbortSignal,
): Promise<number> {
  let expired = 0;
  for await (const ids of listPages((page) => store.listWithArtifacts(before, page), signal)) {
    // If this is broken off before they are marked, they are found again.
    await Promise.all(ids.map((id) => files.removeAll(id)));
    await store.markExpired(ids);
    expired += ids.length;
  }
  return expired;
}

/** Until there are no more, or the process is about to end: the next time does the rest. */
async function* listPages(list: (page: Page) => Promise<string[]>, signal: AbortSignal): AsyncGenerator<string[]> {
  let after = FIRST_ID;
  while (!signal.aborted) {
    const ids = await list({ after, limit: AT_ONCE });
    const last = ids.at(-1);
    if (last === undefined) return;
    yield ids;
    after = last;
  }
}
