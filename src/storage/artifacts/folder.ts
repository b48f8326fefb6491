import { randomUUID } from "node:crypto";
import { mkdir, open, opendir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ArtifactFiles, ArtifactListing, StoredFile } from "../../executions/artifacts.ts";
import { ensureDirectory } from "../../lib/ensure-directory.ts";
import { parseUuid } from "../../lib/uuid.ts";

const WRITE_ATTEMPTS = 10;

/** Artifacts as files `artifacts/<execution id>/<artifact id>` in the data directory, readable only by the service. */
export function createArtifactFolder(dataDir: string): ArtifactFiles & ArtifactListing {
  const root = artifactFolder(dataDir);

  /** The ids are our own. Checked again, because they form a path. */
  function pathOf(...ids: string[]): string {
    if (ids.some((id) => parseUuid(id) === null)) throw new Error("The id of an artifact is not a UUID");
    return join(root, ...ids);
  }

  return {
    async write(executionId, artifactId, data) {
      const path = pathOf(executionId, artifactId);
      ensureDirectory(root);
      for (let attempt = 1; ; attempt++) {
        try {
          return await writeAtomically(path, data);
        } catch (error) {
          // The execution is being deleted together with this folder. Not a storage failure: create the folder again.
          if (!isMissingFile(error) || attempt === WRITE_ATTEMPTS) throw error;
        }
      }
    },

    async open(executionId, artifactId) {
      try {
        return (await open(pathOf(executionId, artifactId))).createReadStream();
      } catch (error) {
        if (isMissingFile(error)) return null;
        throw error;
      }
    },

    remove: (executionId, artifactId) => rm(pathOf(executionId, artifactId), { force: true }),

    // An execution that has just ended may still be writing a file. It removes that file itself.
    removeAll: (executionId) => rm(pathOf(executionId), { recursive: true, force: true, maxRetries: 5 }),

    list: () => listFiles(root),
  };
}

async function writeAtomically(path: string, data: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}.draft`;
  try {
    await writeFile(draft, data, { mode: 0o600, flag: "wx" });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function isMissingFile(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** A draft left behind by a dead process is listed under the id of its artifact. */
async function* listFiles(root: string): AsyncGenerator<StoredFile> {
  ensureDirectory(root);
  for await (const { name } of await opendir(root)) {
    const executionId = parseUuid(name);
    if (executionId === null) continue;
    for (const file of await readdir(join(root, name)).catch(() => [])) {
      const path = join(root, name, file);
      const artifactId = parseUuid(file.split(".", 1)[0] ?? "");
      const found = await stat(path).catch(() => null);
      if (artifactId === null || found === null) continue;
      yield { executionId, artifactId, writtenAt: found.mtime, remove: () => rm(path, { force: true }) };
    }
  }
}

export function artifactFolder(dataDir: string): string {
  return join(dataDir, "artifacts");
}
