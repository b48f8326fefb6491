import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import type { ArtifactKind } from "../contract/execution.ts";
import { CallerError } from "../lib/errors.ts";
import { toStorableText } from "../lib/storable.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Executions } from "./executions.ts";

interface NewArtifact {
  id: string;
  kind: ArtifactKind;
  name: string;
  contentType: string;
  data: Buffer;
}

/** For the worker: stores the evidence of a run. */
export interface ArtifactWriter {
  /** False when the lease is no longer held under this fence. Repeating the call with the same id changes nothing. */
  write(executionId: string, fence: number, artifact: NewArtifact): Promise<boolean>;
  /** Stores the file alone. The record must be stored as well, with an event. */
  writeFile(executionId: string, artifact: NewArtifact): Promise<NewArtifactRecord>;
  removeFile(executionId: string, artifactId: string): Promise<void>;
}

/** For callers: the connection is always the token's, so no id gives access to another connection's artifacts. */
export interface Artifacts {
  list(connectionId: string, executionId: string): Promise<ArtifactRecord[]>;
  get(connectionId: string, executionId: string, artifactId: string): Promise<ArtifactRecord>;
  open(artifact: ArtifactRecord): Promise<Readable>;
}

const NAME_MAX_LENGTH = 200;
const CONTENT_TYPE = /^[a-z0-9][\w.+-]{0,60}\/[a-z0-9][\w.+-]{0,60}(; ?charset=[\w-]{1,20})?$/i;
const UNKNOWN_CONTENT_TYPE = "application/octet-stream";

export function createArtifactWriter({ store, files }: { store: ArtifactStore; files: ArtifactFiles }): ArtifactWriter {
  async function writeFile(executionId: string, artifact: NewArtifact): Promise<NewArtifactRecord> {
    const { id, kind, name, contentType, data } = artifact;
    await files.write(executionId, id, data);
    return {
      id,
      executionId,
      kind,
      name: toStorableText(name.slice(0, NAME_MAX_LENGTH)),
      contentType: CONTENT_TYPE.test(contentType) ? contentType : UNKNOWN_CONTENT_TYPE,
      bytes: data.byteLength,
      sha256: createHash("sha256").update(data).digest(),
    };
  }

  return {
    async write(executionId, fence, artifact) {
      // The file first, so that every listed artifact can be read.
      const isStored = await store.insert(await writeFile(executionId, artifact), fence);
      if (!isStored) await files.remove(executionId, artifact.id);
      return isStored;
    },

    writeFile,
    removeFile: (executionId, artifactId) => files.remove(executionId, artifactId),
  };
}

export function createArtifacts({
  store,
  files,
  executions,
}: {
  store: ArtifactStore;
  files: ArtifactFiles;
  executions: Pick<Executions, "get">;
}): Artifacts {
  return {
    async list(connectionId, executionId) {
      const { id } = await executions.get(connectionId, executionId);
      return store.list(id);
    },

    async get(connectionId, executionId, artifactId) {
      const { id } = await executions.get(connectionId, executionId);
      const uuid = parseUuid(artifactId);
      const artifact = uuid === null ? null : await store.find(id, uuid);
      if (artifact === null) throw new CallerError("NOT_FOUND", "This execution has no artifact with this id.");
      return artifact;
    },

    async open({ executionId, id, expiredAt }) {
      if (expiredAt !== null)
        throw new CallerError(
          "GONE",
          `Artifacts are kept for a limited time. This one was removed on ${toIsoDate(expiredAt)}.`,
        );
      const content = await files.open(executionId, id);
      if (content !== null) return content;
      throw new CallerError(
        "GONE",
        "The artifact's file is missing: it was removed, or a worker with another data directory or bucket wrote it.",
      );
    },
  };
}

function toIsoDate(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** A file that a run stored as evidence. */
export interface ArtifactRecord {
  id: string;
  executionId: string;
  kind: ArtifactKind;
  name: string;
  contentType: string;
  bytes: number;
  sha256: Buffer;
  createdAt: Date;
  /** When retention removed its file; null while the file exists. */
  expiredAt: Date | null;
}

export type NewArtifactRecord = Omit<ArtifactRecord, "createdAt" | "expiredAt">;

export interface ArtifactStore {
  /** False, with nothing written, when the lease is no longer held under this fence. */
  insert(artifact: NewArtifactRecord, fence: number): Promise<boolean>;
  /** Oldest first. */
  list(executionId: string): Promise<ArtifactRecord[]>;
  find(executionId: string, artifactId: string): Promise<ArtifactRecord | null>;
}

/** Storage for the bytes. */
export interface ArtifactFiles {
  /** Atomic: readers never see a partial file. */
  write(executionId: string, artifactId: string, data: Buffer): Promise<void>;
  /** Null when there is no such file. */
  open(executionId: string, artifactId: string): Promise<Readable | null>;
  remove(executionId: string, artifactId: string): Promise<void>;
  /** Removes all files of the execution. */
  removeAll(executionId: string): Promise<void>;
}

/** All stored files, unordered and streamed: there may be more than fit into memory. */
export interface ArtifactListing {
  list(): AsyncIterable<StoredFile>;
}

export interface StoredFile {
  executionId: string;
  artifactId: string;
  writtenAt: Date;
  remove(): Promise<void>;
}

/** About what a short run stores. */
export const ARTIFACT_CHECK_BYTES = 1024 ** 2;

/** Writes a file of this size and removes it. Throws when it cannot be written. */
export async function checkArtifactFiles(files: ArtifactFiles, bytes: number): Promise<void> {
  const executionId = randomUUID();
  try {
    // Random, because zeroes may take no space.
    await files.write(executionId, randomUUID(), randomBytes(bytes));
  } finally {
    await files.removeAll(executionId);
  }
}
