import type { ChildProcess } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MIGRATION_LOCK } from "../../src/storage/migrations.ts";
import { backUpTo, listTables, readRows, restoreFrom } from "../_harness/backup.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { runErrand, startCommand } from "../_harness/errand.ts";
import { temporaryFolder } from "../_harness/programs.ts";
import { startFaultProxy } from "../faults/_fault-proxy.ts";

const SILENCE_MS = 2_000;

describe("when the connection to the database is lost", () => {
  let source: TestDatabase;
  let folder: string;
  let backup: string;

  beforeAll(async () => {
    source = await createTestDatabase();
    await source.query("insert into users (name, email) values ('Ann', 'ann@example.com')");
  });
  afterAll(() => source[Symbol.asyncDispose]());
  beforeEach(async () => {
    folder = temporaryFolder();
    backup = join(folder, "backup.tar.gz");
    await backUpTo(backup, source.url);
  });

  it("a command reports it, and that it may have taken effect", async () => {
    await using held = await hold(source, "lock table applications in access exclusive mode");
    const listing = runErrand(["app", "list"], { DATABASE_URL: source.url, ERRAND_DATA_DIR: folder });
    await held.cutOffWaiting("errand");
    const { code, stdout, stderr } = await listing;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /^Lost the connection to the database at DATABASE_URL: .+ check before you run it again\. .+\n$/,
    );
  });

  it("errand backup reports that no backup was made", async () => {
    await using held = await hold(source, "lock table users in access exclusive mode");
    const file = join(folder, "cut.tar.gz");
    const backingUp = runErrand(["backup", file], { DATABASE_URL: source.url, ERRAND_DATA_DIR: folder });
    await held.cutOffWaiting("errand backup");
    const { code, stderr } = await backingUp;
    expect(code).toBe(1);
    expect(stderr).toContain(
      "Lost the connection to the database: terminating connection due to administrator command.",
    );
    expect(stderr).toContain("No backup was made");
    expect(await readdir(folder)).not.toContain("cut.tar.gz");
  });

  it("errand restore reports that nothing was restored", async () => {
    await using target = await createTestDatabase({ migrated: false });
    await using held = await hold(target, "create table users (id integer)");
    const restoring = runErrand(["restore", backup], { DATABASE_URL: target.url, ERRAND_DATA_DIR: folder });
    await held.cutOffWaiting("errand restore");
    const { code, stderr } = await restoring;
    expect(code).toBe(1);
    expect(stderr).toMatch(/Lost the connection to the database: .+ Nothing was restored/);
    expect(await listTables(target)).toEqual([]);
  });

  it.each<[string, (held: Held, child: ChildProcess) => unknown, RegExp]>([
    [
      "and is told to stop",
      (_, child) => child.kill("SIGTERM"),
      /Everything is restored, but .+: Interrupted\. Run errand migrate/,
    ],
    [
      "and is cut off",
      (held) => held.cutOffWaiting("errand restore"),
      /Everything is restored, but .+: Lost the connection to the database: .+[^.]\. Run errand migrate/,
    ],
  ])("errand restore that has committed %s reports that everything is restored", async (_, stop, said) => {
    await using target = await createTestDatabase({ migrated: false });
    const held = await hold(target, "create table users (id integer)");
    const { child, ended } = startCommand(["restore", backup], { DATABASE_URL: target.url, ERRAND_DATA_DIR: folder });
    await held.untilWaiting("errand restore");
    // Queues for the lock that the restore holds until its commit and needs again afterwards.
    const next = new pg.Client({ connectionString: target.url });
    next.on("error", () => {});
    await next.connect();
    const committed = next.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await held[Symbol.asyncDispose]();
    await committed;
    await using heldAgain = await hold(target, "lock table users in access exclusive mode");
    await next.end();
    await heldAgain.untilWaiting("errand restore");
    await stop(heldAgain, child);
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(1);
    expect(stdout).toContain("Restored as of");
    expect(stderr).toMatch(said);
    expect(stderr).not.toMatch(/Interrupted\. Nothing|nothing was restored/i);
    await heldAgain[Symbol.asyncDispose]();
    expect(await readRows(target, "users")).toEqual(await readRows(source, "users"));
  });
});

describe("when the database stops responding", () => {
  it("a backup is aborted, but not one that is only slow", async () => {
    await using source = await createTestDatabase();
    await using proxied = await openProxied(source);
    const file = join(temporaryFolder(), "backup.tar.gz");
    const held = await hold(source, "lock table users in access exclusive mode");
    const slow = backUpTo(file, proxied.url, { silenceMs: SILENCE_MS });
    await held.untilWaiting("errand backup");
    await delay(2 * SILENCE_MS);
    await held[Symbol.asyncDispose]();
    await slow;

    await using heldAgain = await hold(source, "lock table users in access exclusive mode");
    const given = backUpTo(file, proxied.url, { silenceMs: SILENCE_MS });
    const failed = expect(given).rejects.toThrow(/no response for 2 seconds\. No backup was made/);
    await heldAgain.untilWaiting("errand backup");
    proxied.proxy.setMode("silent");
    await failed;
  });

  it("a restore is aborted, and the database stays empty", async () => {
    const file = join(temporaryFolder(), "backup.tar.gz");
    await using source = await createTestDatabase();
    await backUpTo(file, source.url);
    await using target = await createTestDatabase({ migrated: false });
    await using proxied = await openProxied(target);
    const held = await hold(target, "create table users (id integer)");
    const restoring = restoreFrom(file, proxied.url, { silenceMs: SILENCE_MS });
    const failed = expect(restoring).rejects.toThrow(/no response for 2 seconds\. Nothing was restored/);
    await held.untilWaiting("errand restore");
    proxied.proxy.setMode("silent");
    await failed;
    await held[Symbol.asyncDispose]();
    proxied.proxy.cut();
    await expect
      .poll(
        () =>
          target.query(
            "select from pg_stat_activity where application_name like 'errand restore%' and datname = current_database()",
          ),
        { timeout: 100_000 },
      )
      .toEqual([]);
    expect(await listTables(target)).toEqual([]);
  });

  it("during the commit, a restore reports that the outcome is unknown", async () => {
    const file = join(temporaryFolder(), "backup.tar.gz");
    await using source = await createTestDatabase();
    await backUpTo(file, source.url);
    await using target = await createTestDatabase({ migrated: false });
    await using proxied = await openProxied(target);
    const beforeCommit = () => proxied.proxy.setMode("silent");
    await expect(restoreFrom(file, proxied.url, { silenceMs: SILENCE_MS, beforeCommit })).rejects.toThrow(
      /during the commit \(no response for 2 seconds\)\. Either everything was restored or nothing/,
    );
  });
});

interface Held extends AsyncDisposable {
  /** Resolves when a session with this name waits for the lock. */
  untilWaiting(name: string): Promise<void>;
  cutOffWaiting(name: string): Promise<void>;
}

/** Holds the locks of a statement until disposed. */
async function hold(database: TestDatabase, statement: string): Promise<Held> {
  const client = new pg.Client({ connectionString: database.url });
  client.on("error", () => {});
  await client.connect();
  await client.query(`begin; ${statement}`);
  const waiting = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and starts_with(application_name, $1)`;
  let isOver = false;
  const untilWaiting = async (name: string) => {
    await expect.poll(() => database.query(`select ${waiting}`, [name]), { timeout: 100_000 }).toHaveLength(1);
  };
  return {
    untilWaiting,
    async cutOffWaiting(name) {
      await untilWaiting(name);
      await database.query(`select pg_terminate_backend(pid) ${waiting}`, [name]);
    },
    async [Symbol.asyncDispose]() {
      if (isOver) return;
      isOver = true;
      await client.end();
    },
  };
}

async function openProxied({ url }: TestDatabase) {
  const address = new URL(url);
  const proxy = await startFaultProxy(Number(address.port));
  address.port = String(proxy.port);
  return { url: address.href, proxy, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
}
