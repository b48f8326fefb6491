import pg from "pg";
import { describe, expect, it } from "vitest";
import { installJobs } from "../../src/jobs/job-pool.ts";
import { migrate } from "../../src/storage/migrations.ts";
import { createTestDatabase } from "../_harness/database.ts";

const CUT_OFF_WAITING = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name like 'errand migrate%' and wait_event_type = 'Lock'`;

describe("migrations", () => {
  it("are applied once, however many processes start at the same time", async () => {
    await using database = await createTestDatabase({ migrated: false });
    const reports = await Promise.all(Array.from({ length: 8 }, () => migrate(database.url)));
    expect(reports.filter(({ applied }) => applied.length > 0)).toHaveLength(1);
    const rows = await database.query<{ version: number }>("select version from schema_migrations order by version");
    expect(rows.map(({ version }) => version)).toEqual(rows.map((_, index) => index + 1));
    expect(new Set(reports.map(({ version }) => version))).toEqual(new Set([rows.length]));
  });

  it("refuse a schema that is newer than the code, and change nothing", async () => {
    await using database = await createTestDatabase();
    await database.query("insert into schema_migrations (version, name, checksum) values (9999, '9999_future', 'x')");
    await expect(migrate(database.url)).rejects.toThrow(
      /version 9999 \(9999_future\)\. This version of Errand supports schema versions up to/,
    );
  });

  it("refuse an edited history", async () => {
    await using database = await createTestDatabase();
    await database.query("update schema_migrations set checksum = 'edited' where version = 2");
    await expect(migrate(database.url)).rejects.toThrow("0002_accounts was edited after it was applied");
  });

  it("leave nothing of a failed migration", async () => {
    await using database = await createTestDatabase({ migrated: false });
    // Blocks the second migration, which then fails as a whole.
    await database.query("create table sessions (id integer)");
    await expect(migrate(database.url)).rejects.toThrow("Migration 0002_accounts failed");
    const [left] = await database.query<{ users: string | null }>("select to_regclass('users') as users");
    expect(left?.users).toBeNull();
    await database.query("drop table sessions");
    expect((await migrate(database.url)).applied).not.toContain("0001_ids");
  });

  it("leave no connection of the job queue open, which would break when an embedded server stops", async () => {
    await using database = await createTestDatabase({ migrated: false });
    await database.query("select 1");
    const before = countSockets();
    await installJobs(database.url);
    expect(countSockets()).toBeLessThanOrEqual(before);
    expect(await database.query("select from graphile_worker.migrations")).not.toEqual([]);
  });

  it("fail with a message when their connection is cut, and do not end the process", async () => {
    await using database = await createTestDatabase({ migrated: false });
    const inTheWay = new pg.Client({ connectionString: database.url });
    inTheWay.on("error", () => {});
    await inTheWay.connect();
    await inTheWay.query("begin; create table users (id integer)");
    const failed = expect(migrate(database.url)).rejects.toThrow(
      "Migration 0002_accounts failed: terminating connection",
    );
    await expect.poll(() => database.query(CUT_OFF_WAITING), { timeout: 100_000 }).toHaveLength(1);
    await failed;
    await inTheWay.end();
    expect((await migrate(database.url)).applied).toContain("0002_accounts");
  });

  it("give the first owner 1,000 credits, with a ledger entry", async () => {
    await using database = await createTestDatabase();
    const rows = await database.query(
      "select user_id, balance::int, kind, credits::int from owners join credit_entries on owner_id = owners.id",
    );
    expect(rows).toEqual([{ user_id: null, balance: 1000, kind: "grant", credits: 1000 }]);
  });

  it("create ids that sort by time and are valid UUIDv7, built in or not", async () => {
    await using database = await createTestDatabase();
    const fallback = await database.query<{ body: string }>(
      `select encode(
         substring(int8send(floor(micros / 1000)::bigint) from 3)
         || int2send((28672 + floor(mod(micros, 1000) * 4.096))::int2)
         || substring(uuid_send(gen_random_uuid()) from 9 for 8), 'hex')::uuid::text as body
       from (select extract(epoch from clock_timestamp()) * 1000000 as micros) as instant`,
    );
    const builtIn = await database.query<{ body: string }>(
      "select new_id()::text as body from generate_series(1, 1000)",
    );
    for (const { body } of [...fallback, ...builtIn])
      expect(body).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const ids = builtIn.map(({ body }) => body);
    expect(ids).toEqual(ids.toSorted());
    expect(fallback[0]?.body.slice(0, 8)).toBe(ids[0]?.slice(0, 8));
  });
});

function countSockets(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === "TCPSocketWrap").length;
}
