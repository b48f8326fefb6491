import { createHash } from "node:crypto";
import type { Manifest } from "./format.ts";

/** What the manifest says of artifacts: however many there are, it stays small. */
export interface ArtifactTally {
  readonly files: number;
  add(name: string, data: Buffer): void;
  sum(): Pick<NonNullable<Manifest["artifacts"]>, "files" | "bytes" | "sha256">;
}

export function createArtifactTally(): ArtifactTally {
  const hash = createHash("sha256");
  let [files, bytes] = [0, 0];
  return {
    get files() {
      return files;
    },
    add(name, data) {
      files += 1;
      bytes += data.byteLength;
      hash.update(`${name} ${data.byteLength} ${createHash("sha256").update(data).digest("hex")}\n`);
    },
    sum: () => ({ files, bytes, sha256: hash.copy().digest("hex") }),
  };
}
