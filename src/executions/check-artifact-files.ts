import { randomBytes, randomUUID } from "node:crypto";
import type { ArtifactFiles } from "./artifact-store.ts";

/** About what a short run keeps. */
export const ROOM_BYTES = 1024 ** 2;

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
