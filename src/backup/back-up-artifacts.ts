import { createHash } from "node:crypto";
import type { ArtifactFiles } from "../executions/artifact-store.ts";
import type { ArchiveWriter } from "./archive-writer.ts";
import { createArtifactTally } from "./artifact-tally.ts";
import { type Manifest, nameArtifact } from "./format.ts";
import type { KeptArtifact, Snapshot } from "./snapshot.ts";

/** Files that are missing or not what their row says are counted and left out: the rest is worth having. */
export async function backUpArtifacts(
  archive: ArchiveWriter,
  snapshot: Snapshot,
  files: Pick<ArtifactFiles, "open">,
  onProgress: (message: string) => void,
): Promise<NonNullable<Manifest["artifacts"]>> {
  const tally = createArtifactTally();
  let [missing, damaged] = [0, 0];
  for await (const artifact of snapshot.listArtifacts()) {
    const data = await readWhole(files, artifact);
    if (data === "missing") missing += 1;
    else if (data === "damaged") damaged += 1;
    else {
      const name = nameArtifact(artifact.executionId, artifact.id);
      await archive.add(name, data);
      tally.add(name, data);
      onProgress(`Backing up artifacts: ${tally.files}`);
    }
  }
  return { ...tally.sum(), missing, damaged };
}

async function readWhole(
  files: Pick<ArtifactFiles, "open">,
  { executionId, id, bytes, sha256 }: KeptArtifact,
): Promise<Buffer | "missing" | "damaged"> {
  const content = await files.open(executionId, id);
  if (content === null) return "missing";
  const chunks: Buffer[] = [];
  let left = bytes;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    left -= chunk.byteLength;
    if (left < 0) return "damaged";
    chunks.push(chunk);
  }
  const data = Buffer.concat(chunks);
  return createHash("sha256").update(data).digest().equals(sha256) ? data : "damaged";
}
