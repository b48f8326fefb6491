import { spawnSync } from "node:child_process";
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { prepareCluster } from "../../src/storage/embedded/cluster.ts";
import { joinEmbeddedServer } from "../../src/storage/embedded/server.ts";
import { migrate } from "../../src/storage/migrations.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where test databases are created. */
    serverUrl: string;
    /** For files that are removed after the run, even those of a test worker that was killed. */
    scratchDir: string;
  }
}

/** One real PostgreSQL for the whole run. Its data is discarded, so it need not be written to disk. */
export async function setup(project: TestProject) {
  const dataDir = await mkdtemp(join(tmpdir(), "errand-test-"));
  const cluster = await prepareCluster(dataDir, () => {});
  // Without autovacuum, whose workers would keep a test database from being dropped.
  const settings = ["fsync = off", "full_page_writes = off", "synchronous_commit = off", "autovacuum = off"];
  await appendFile(join(cluster.dir, "postgresql.conf"), `\n${settings.join("\n")}\n`);
  const { file, args, env } = cluster.runAs.command(cluster.binaries.postgres, [
    "--single",
    "-D",
    cluster.dir,
    "postgres",
  ]);
  spawnSync(file, args, { env, input: "alter role errand createdb\n", cwd: cluster.dir });
  const server = await joinEmbeddedServer(dataDir, () => {});
  await makeTemplate(server.connectionString);
  project.provide("serverUrl", server.connectionString);
  project.provide("scratchDir", dataDir);
  return async () => {
    await server[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  };
}

/** A migrated template database that the others are copied from. */
async function makeTemplate(serverUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query("create database test_template");
  } finally {
    await client.end();
  }
  await migrate(serverUrl.replace(/\/errand$/, "/test_template"));
}
