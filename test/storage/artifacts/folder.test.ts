import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { createArtifactFolder } from "../../../src/storage/artifacts/folder.ts";
import { temporaryFolder } from "../../_harness/programs.ts";

it("writes into a folder that is being removed because its execution was just deleted", async () => {
  const files = createArtifactFolder(temporaryFolder());
  const executionId = randomUUID();
  for (let round = 0; round < 60; round++) {
    const written = files.write(executionId, randomUUID(), Buffer.from("seen"));
    await expect(Promise.all([written, files.removeAll(executionId)])).resolves.toBeDefined();
  }
});
