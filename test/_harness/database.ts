import { randomBytes } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import pg from "pg";
import { inject } from "vitest";

export interface TestDatabase extends AsyncDisposable {
  url: string;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
}

/** Publishes the name of each test database. */
export const databaseCreated = channel("errand-test:database");

/** An empty, migrated database for one test file. */
export async function createTestDatabase(options: { migrated: boolean } = { migrated: true }): Promise<TestDatabase> {
  const serverUrl = inject("serverUrl");
  const name = `test_${randomBytes(8).toString("hex")}`;
  await runOn(serverUrl, `create database ${name} ${options.migrated ? "template test_template" : ""}`);
  databaseCreated.publish(name);
  const url = serverUrl.replace(/\/errand$/, `/${name}`);
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  // Dropping the database may end a session that the pool is just closing.
  pool.on("error", () => {});
  return {
    url,
    query: async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
      (await pool.query<Row>(text, values)).rows,
    async [Symbol.asyncDispose]() {
      await pool.end();
      await runOn(serverUrl, `drop database ${name} with (force)`);
    },
  };
}

async function runOn(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
