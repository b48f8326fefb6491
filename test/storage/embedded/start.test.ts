import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createDataDir, errandJson } from "../../_harness/errand.ts";

// server.ci.test.ts covers the rest: several processes, and kills.
it("creates the embedded PostgreSQL with the first command and stops it when it is no longer needed", async () => {
  await using data = await createDataDir();
  const isServed = () => existsSync(join(data.path, "postgres/cluster/postmaster.pid"));
  expect(await errandJson(["migrate"], data.env)).toMatchObject({ applied: expect.arrayContaining(["0001_ids"]) });
  expect(isServed()).toBe(false);
  expect(await errandJson(["migrate"], data.env)).toMatchObject({ applied: [] });
  expect(isServed()).toBe(false);
});
