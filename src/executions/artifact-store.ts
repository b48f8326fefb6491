import type { Readable } from "node:stream";
import type { ArtifactKind } from "../contract/artifact.ts";

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
