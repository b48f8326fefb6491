import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createDataDir, errandJson } from "./_harness/errand.ts";

// test/full/embedded-postgres.test.ts has the rest: several processes, and what is killed.
it("the embedded PostgreSQL is created by the first command, and stopped when nobody needs it any more", async () => {
  await using data = await createDataDir();
  const isServed = () => existsSync(join(data.path, "postgres/cluster/postmaster.pid"));
  expect(await errandJson(["migrate"], data.env)).toMatchObject({ applied: expect.arrayContaining(["0001_ids"]) });
  expect(isServed()).toBe(false);
  expect(await errandJson(["migrate"], data.env)).toMatchObject({ applied: [] });
  expect(isServed()).toBe(false);
});
