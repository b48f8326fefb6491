import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ArtifactFiles } from "../executions/artifact-store.ts";
import { ensureDirectory } from "../lib/ensure-directory.ts";
import { parseUuid } from "../lib/uuid.ts";

/** Artifacts as files: `artifacts/<execution id>/<artifact id>` in the data directory, readable by the service alone. */
export function createArtifactFolder(dataDir: string): ArtifactFiles {
  const root = artifactFolder(dataDir);

  /** All are ids of ours; checked once more, because a path is made of them. */
  function pathOf(...ids: string[]): string {
    if (ids.some((id) => parseUuid(id) === null)) throw new Error("an artifact's id is no UUID");
    return join(root, ...ids);
  }

  return {
    async write(executionId, artifactId, data) {
      const path = pathOf(executionId, artifactId);
      ensureDirectory(root);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const draft = `${path}.${randomUUID()}.draft`;
      try {
        await writeFile(draft, data, { mode: 0o600, flag: "wx" });
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },

    async open(executionId, artifactId) {
      try {
        return (await open(pathOf(executionId, artifactId))).createReadStream();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
        throw error;
      }
    },

    remove: (executionId, artifactId) => rm(pathOf(executionId, artifactId), { force: true }),

    // A run that has just been ended may still be writing a file, which it then removes by itself.
    removeAll: (executionId) => rm(pathOf(executionId), { recursive: true, force: true, maxRetries: 5 }),
  };
}

export function artifactFolder(dataDir: string): string {
  return join(dataDir, "artifacts");
}
