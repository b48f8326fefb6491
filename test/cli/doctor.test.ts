import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkTraces } from "../../src/app/health-checks.ts";
import { checkDatabaseState } from "../../src/cli/doctor-checks.ts";
import { readConfig } from "../../src/config/config.ts";
import { identifyKey } from "../../src/config/master-keys.ts";
import { findFreePort } from "../../src/lib/free-port.ts";
import { applyMigration, CREATE_MIGRATION_TABLE, readMigrations } from "../../src/storage/migrations.ts";
import { listTables } from "../_harness/backup.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { runErrand } from "../_harness/errand.ts";
import { temporaryFolder } from "../_harness/programs.ts";

const newKey = () => randomBytes(32).toString("base64url");

/** A saved sign-in that is encrypted with the key of this id. */
const SEAL = `
  with person as (insert into users (name, email) values ('Ann', 'ann@example.com') returning id),
  application as (insert into applications (owner_id, name, type) select id, 'Shop', 'public' from owners returning id),
  connection as (
    insert into connections (application_id, user_id) select application.id, person.id from application, person returning id
  )
  insert into saved_sign_ins (connection_id, key_id, wrapped_key, ciphertext) select id, $1, '\\x00', '\\x00' from connection`;

/** An execution and a webhook message that have both been waiting for an hour. */
const INSERT_WAITING = `
  with person as (insert into users (name, email) values ('Ben', 'ben@example.com') returning id),
  application as (insert into applications (owner_id, name, type) select id, 'Shop', 'public' from owners returning id),
  connection as (
    insert into connections (application_id, user_id, queued_since)
    select application.id, person.id, now() - interval '1 hour' from application, person returning id
  ),
  execution as (
    insert into executions (connection_id, status, prompt, credits) select id, 'QUEUED', 'Wait.', 1 from connection
  ),
  endpoint as (
    insert into webhook_endpoints (application_id, url, secret_key_id, secret_box)
    select id, 'https://receiver.example/hook', 'k', '\\x00' from application returning id
  )
  insert into webhook_deliveries (endpoint_id, type, next_attempt_at)
  select id, 'ping', now() - interval '1 hour' from endpoint`;

describe("doctor", () => {
  let migrated: TestDatabase;
  beforeAll(async () => {
    migrated = await createTestDatabase();
  });
  afterAll(() => migrated[Symbol.asyncDispose]());

  const check = (url: string, more: Record<string, string> = {}, dataDir = temporaryFolder()) =>
    checkDatabaseState(readConfig({ DATABASE_URL: url, ERRAND_DATA_DIR: dataDir, ...more }, "/"));

  it("names missing master keys; neither doctor nor key list creates one", async () => {
    const [lost, other] = [newKey(), newKey()];
    await migrated.query(SEAL, [identifyKey(lost)]);
    const dataDir = temporaryFolder();
    const missing = {
      status: "problem",
      message: expect.stringMatching(new RegExp(`^1 saved sign-in .* missing: ${identifyKey(lost)}$`)),
    };
    expect((await check(migrated.url, {}, dataDir)).keys).toMatchObject({
      ...missing,
      fix: expect.stringContaining(dataDir),
    });
    const env = { DATABASE_URL: migrated.url, ERRAND_DATA_DIR: dataDir };
    const { stdout } = await runErrand(["key", "list"], env);
    expect(stdout).toContain(`${identifyKey(lost)}  1 saved sign-in`);
    expect(stdout).not.toContain("current");
    expect(readdirSync(dataDir)).toEqual([]);
    expect((await check(migrated.url, { ERRAND_SECRET_KEY: other })).keys).toMatchObject({
      ...missing,
      fix: expect.stringContaining("ERRAND_OTHER_SECRET_KEYS"),
    });
    expect((await check(migrated.url, { ERRAND_SECRET_KEY: lost })).keys.status).toBe("ok");
    expect((await check(migrated.url, { ERRAND_SECRET_KEY: other, ERRAND_OTHER_SECRET_KEYS: lost })).keys.status).toBe(
      "ok",
    );
  });

  it("changes nothing: an empty database stays empty, and an old schema stays old", async () => {
    await using database = await createTestDatabase({ migrated: false });
    expect((await check(database.url)).database).toMatchObject({
      status: "warning",
      message: expect.stringContaining("Empty"),
    });
    expect(await listTables(database)).toEqual([]);
    const migrations = await readMigrations();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(CREATE_MIGRATION_TABLE);
    for (const migration of migrations.filter(({ version }) => version <= 11)) await applyMigration(client, migration);
    await client.end();
    expect((await check(database.url)).database).toMatchObject({
      status: "warning",
      message: expect.stringMatching(
        new RegExp(`schema version 11; this version of Errand needs ${migrations.at(-1)?.version}`),
      ),
      fix: expect.stringMatching(/errand backup.*errand migrate/),
    });
    expect((await database.query("select from schema_migrations")).length).toBe(11);
  });

  it("reports queued executions and pending messages that no worker handles", async () => {
    await using database = await createTestDatabase();
    expect(await check(database.url)).toMatchObject({
      queue: { status: "ok", message: "0 running, 0 queued" },
      webhooks: { status: "ok", message: "Nothing pending" },
    });
    await database.query(INSERT_WAITING);
    expect(await check(database.url)).toMatchObject({
      queue: {
        status: "warning",
        message: "0 running, 1 queued, the next one waiting for 60 min",
        fix: expect.stringContaining("errand start --roles worker"),
      },
      webhooks: {
        status: "warning",
        message: "1 message pending, the oldest overdue for 60 min",
        fix: expect.stringContaining("Check that a worker runs"),
      },
    });
    await database.query(`update executions set status = 'RUNNING', lease_expires_at = now() - interval '1 minute'`);
    expect((await check(database.url)).queue).toMatchObject({
      status: "warning",
      message: expect.stringContaining("1 on a worker that stopped responding"),
    });
    await database.query("delete from executions");
    expect((await check(database.url)).queue, "after a canceled execution").toEqual({
      status: "ok",
      message: "0 running, 0 queued",
    });
  });

  it("says how to fix problems with the database", async () => {
    const at = (change: (url: URL) => void) => {
      const url = new URL(migrated.url);
      change(url);
      return url.href;
    };
    const port = await findFreePort();
    const advice = async (url: string) => (await check(url)).database.fix;
    expect(await advice(`postgresql://127.0.0.1:${port}/none`)).toMatch(/Nothing is listening there.*host and port/);
    expect(await advice(at((url) => (url.pathname = "/no_such_database")))).toMatch(/createdb/);
    expect(await advice(at((url) => (url.username = "no_such_role")))).toMatch(/createuser|user or the password/);
    await using newer = await createTestDatabase();
    await newer.query("insert into schema_migrations (version, name, checksum) values (9999, '9999_future', 'x')");
    const { database } = await check(newer.url);
    expect(database).toEqual({ status: "problem", message: expect.stringContaining("Start the newer version") });
  });

  it("is recommended by other commands if the database cannot be used", async () => {
    const env = {
      DATABASE_URL: `postgresql://127.0.0.1:${await findFreePort()}/none`,
      ERRAND_DATA_DIR: temporaryFolder(),
    };
    for (const args of [
      ["app", "list"],
      ["backup", "-"],
      ["start", "--port", "0"],
    ]) {
      const { code, stderr } = await runErrand(args, env);
      expect(code).toBe(1);
      expect(stderr).toMatch(/Cannot use the database at DATABASE_URL: .*ECONNREFUSED.*in DATABASE_URL.*errand doctor/);
    }
  });

  it("tests the trace collector, and only warns", async () => {
    const port = await findFreePort();
    const config = readConfig({ ERRAND_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }, temporaryFolder());
    expect(await checkTraces(config)).toMatchObject({
      status: "warning",
      message: expect.stringContaining("ECONNREFUSED"),
      fix: expect.stringContaining("ERRAND_OTLP_ENDPOINT"),
    });
  });
});
