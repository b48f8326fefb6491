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

/** For the worker: keeps what a run has found. */
export interface ArtifactKeeper {
  /** False when the execution is not held under this fence any more. Keeping the same one again changes nothing. */
  keep(executionId: string, fence: number, artifact: NewArtifact): Promise<boolean>;
}

/** For whoever asks: the connection is always the token's, and no id opens another's. */
export interface Artifacts {
  list(connectionId: string, executionId: string): Promise<ArtifactRecord[]>;
  get(connectionId: string, executionId: string, artifactId: string): Promise<ArtifactRecord>;
  open(artifact: ArtifactRecord): Promise<Readable>;
}

const NAME_MAX_LENGTH = 200;
const CONTENT_TYPE = /^[a-z0-9][\w.+-]{0,60}\/[a-z0-9][\w.+-]{0,60}(; ?charset=[\w-]{1,20})?$/i;
const UNKNOWN_CONTENT_TYPE = "application/octet-stream";

export function createArtifactKeeper({ store, files }: { store: ArtifactStore; files: ArtifactFiles }): ArtifactKeeper {
  return {
    async keep(executionId, fence, { id, kind, name, contentType, data }) {
      // The file first: what is listed can be had.
      await files.write(executionId, id, data);
      const isKept = await store.insert(
        {
          id,
          executionId,
          kind,
          name: toStorableText(name.slice(0, NAME_MAX_LENGTH)),
          contentType: CONTENT_TYPE.test(contentType) ? contentType : UNKNOWN_CONTENT_TYPE,
          bytes: data.byteLength,
          sha256: createHash("sha256").update(data).digest(),
        },
        fence,
      );
      if (!isKept) await files.remove(executionId, id);
      return isKept;
    },
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
          `Artifacts are kept for some time only: this one was removed on ${toIsoDate(expiredAt)}.`,
        );
      const content = await files.open(executionId, id);
      if (content !== null) return content;
      throw new CallerError(
        "GONE",
        "The artifact is known, but its file is not here: it was removed, or a worker with another data directory or bucket wrote it.",
      );
    },
  };
}

function toIsoDate(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Something that a run has kept as evidence. */
export interface ArtifactRecord {
  id: string;
  executionId: string;
  kind: ArtifactKind;
  name: string;
  contentType: string;
  bytes: number;
  sha256: Buffer;
  createdAt: Date;
  /** When its file was removed because of its age; null while it can be had. */
  expiredAt: Date | null;
}

export interface ArtifactStore {
  /** False when the execution is not held under this fence any more: then nothing was written. */
  insert(artifact: Omit<ArtifactRecord, "createdAt" | "expiredAt">, fence: number): Promise<boolean>;
  /** Oldest first. */
  list(executionId: string): Promise<ArtifactRecord[]>;
  find(executionId: string, artifactId: string): Promise<ArtifactRecord | null>;
}

/** Where the bytes are. */
export interface ArtifactFiles {
  /** All or nothing: whoever reads never meets half a file. */
  write(executionId: string, artifactId: string, data: Buffer): Promise<void>;
  /** Null when there is no such file here. */
  open(executionId: string, artifactId: string): Promise<Readable | null>;
  remove(executionId: string, artifactId: string): Promise<void>;
  /** Everything that this execution has kept here. */
  removeAll(executionId: string): Promise<void>;
}

/** Whatever is stored, in no order: more than fits into memory. */
export interface ArtifactListing {
  list(): AsyncIterable<StoredFile>;
}

export interface StoredFile {
  executionId: string;
  artifactId: string;
  writtenAt: Date;
  remove(): Promise<void>;
}

/** About what a short run keeps. */
export const ARTIFACT_CHECK_BYTES = 1024 ** 2;

/** Writes something of this size and removes it. Throws when there is no place for it. */
export async function checkArtifactFiles(files: ArtifactFiles, bytes: number): Promise<void> {
  const executionId = randomUUID();
  try {
    // By chance, because zeroes may take no room.
    await files.write(executionId, randomUUID(), randomBytes(bytes));
  } finally {
    await files.removeAll(executionId);
  }
}
