import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { createOperations } from "../../src/app/operations.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { migrate, parseRunsWith, readMigrations } from "../../src/storage/migrations.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { createTestDatabase } from "../_harness/database.ts";
import { createDataDir, errandJson, runErrand, spawnErrand, spawnErrandJson, startErrand } from "../_harness/errand.ts";
import { temporaryFolder } from "../_harness/programs.ts";
import { startTestService } from "../_harness/service.ts";
import { startTestWorker, VERIFIED } from "../_harness/worker.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");
const CLIENTS = 4;

/** The migrations of the next version: those of this one, plus one. */
async function nextVersion(sql: string, head: (newest: number) => string = () => "") {
  const newest = (await readMigrations()).at(-1)?.version ?? 0;
  const folder = temporaryFolder();
  await cp(MIGRATIONS, folder, { recursive: true });
  const name = `${String(newest + 1).padStart(4, "0")}_next`;
  await writeFile(join(folder, `${name}.sql`), `-- Of the next version.\n${head(newest)}${sql}\n`);
  return { folder, name, newest };
}

const runsWithThis = (newest: number) => `-- runs-with: ${newest}\n`;

const EXPAND = `alter table executions add column note text;
create index executions_by_note on executions (note) where note is not null;
create table notes (id uuid primary key default new_id(), execution_id uuid references executions (id));`;

/** This version with a worker that finishes every execution at once. */
async function startThisVersion() {
  await using parts = new AsyncDisposableStack();
  const service = parts.use(await startTestService());
  parts.use(
    await startTestWorker(service, {
      async runErrand(errand) {
        await errand.begin();
        return VERIFIED;
      },
    }),
  );
  const newApi = async () => createApi(service.url, await service.connect());
  const owned = parts.move();
  return { database: service.database, newApi, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function finishOne(api: Api): Promise<string> {
  const { id } = await api.created();
  return (await api.get(id, "?wait=30")).body.execution.status;
}

describe("a roll-out", () => {
  it("runs old and new side by side: executions are created and finished during and after the migration", async () => {
    const next = await nextVersion(EXPAND, runsWithThis);
    await using old = await startThisVersion();
    const endings: string[] = [];
    const firstEnded = Promise.withResolvers<void>();
    let isOver = false;

    async function keepBusy(): Promise<void> {
      const api = await old.newApi();
      while (!isOver) {
        endings.push(await finishOne(api));
        firstEnded.resolve();
      }
    }

    const busy = Promise.all(Array.from({ length: CLIENTS }, keepBusy));
    await firstEnded.promise;
    expect((await migrate(old.database.url, next)).applied).toEqual([next.name]);
    const before = endings.length;
    await expect.poll(() => endings.length, { timeout: 100_000 }).toBeGreaterThan(before + CLIENTS);
    isOver = true;
    await busy;
    expect(new Set(endings)).toEqual(new Set(["COMPLETED"]));
  });

  it("starts the old version on the next schema with a notice; commands work, too", async () => {
    const next = await nextVersion(EXPAND, runsWithThis);
    await using database = await createTestDatabase();
    await migrate(database.url, next);
    await using data = await createDataDir();
    const env = { ...data.env, DATABASE_URL: database.url };
    const service = await startErrand(env);
    expect(service.stderr()).toMatch(/newer than this version of Errand, but compatible/);
    expect(service.stderr()).toContain(next.name);
    expect((await runErrand(["migrate"], env)).stdout).toMatch(
      new RegExp(`^The schema \\(version ${next.newest + 1}, with ${next.name}\\) is newer .* still works with it`),
    );
    const { id: applicationId } = await errandJson<{ id: string }>(
      ["app", "create", "--name", "A", "--type", "public"],
      env,
    );
    await using storage = openDatabase({ connectionString: database.url, poolSize: 1, onError: () => {} });
    const { people, connections } = createOperations(storage);
    const person = await people.findOrCreate("user@example.com");
    const { accessToken: token } = await connections.connect(applicationId, person.id);
    expect((await createApi(service.url, { applicationId, token }).created()).status).toBe("QUEUED");
    expect(await service.end("SIGTERM")).toBe(0);
  });

  it("refuses to start a version that the next schema does not support, and says what to do", async () => {
    const next = await nextVersion("alter table executions add column note text;");
    await using database = await createTestDatabase();
    await migrate(database.url, next);
    await using data = await createDataDir();
    const { code, stderr } = await spawnErrand(["start", "--roles", "api", "--port", "0"], {
      ...data.env,
      DATABASE_URL: database.url,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      new RegExp(
        `version ${next.newest + 1} \\(${next.name}\\)\\. This version of Errand supports schema versions up to ${next.newest}`,
      ),
    );
    expect(stderr).toMatch(/is not compatible with it. Start the newer version, or restore/);
  });

  it("has no migration that supports an older version than the ones before it", async () => {
    const migrations = await readMigrations();
    for (const { name, version, runsWith } of migrations) {
      // Code that old meets all of these at once.
      const between = migrations.filter((other) => other.version > runsWith && other.version < version);
      const stricter = between.filter((other) => other.runsWith > runsWith).map((other) => other.name);
      expect(stricter, `${name} says runs-with: ${runsWith}`).toEqual([]);
    }
  });

  it("considers every newer migration, not only the last", async () => {
    const next = await nextVersion("alter table executions add column note text;");
    await using database = await createTestDatabase();
    await migrate(database.url, next);
    await database.query(
      "insert into schema_migrations (version, name, checksum, runs_with) values (9999, '9999_later', 'x', 1)",
    );
    await expect(migrate(database.url)).rejects.toThrow(next.name);
  });

  it("adds the compatibility column to an older database", async () => {
    const next = await nextVersion(EXPAND, runsWithThis);
    await using database = await createTestDatabase();
    await database.query("alter table schema_migrations drop column runs_with");
    expect((await migrate(database.url)).applied).toEqual([]);
    await migrate(database.url, next);
    expect(await migrate(database.url)).toMatchObject({ newer: [next.name], version: next.newest + 1 });
  });

  it("does not block traffic while a migration waits for a table lock", async () => {
    const next = await nextVersion(EXPAND, runsWithThis);
    await using old = await startThisVersion();
    const api = await old.newApi();
    const reader = new pg.Client({ connectionString: old.database.url });
    await reader.connect();
    await reader.query("begin");
    await reader.query("select count(*) from executions");
    const gaveWay = Promise.withResolvers<void>();
    const migrating = migrate(old.database.url, { ...next, onWaiting: () => gaveWay.resolve() });
    await gaveWay.promise;
    for (let count = 0; count < 5; count += 1) expect(await finishOne(api)).toBe("COMPLETED");
    const columns = "select 1 from information_schema.columns where table_name = 'executions' and column_name = 'note'";
    expect(await old.database.query(columns)).toEqual([]);
    await reader.end();
    expect((await migrating).applied).toEqual([next.name]);
    expect(await finishOne(api)).toBe("COMPLETED");
  });

  it("migrates once when several processes start on an empty database", async () => {
    await using database = await createTestDatabase({ migrated: false });
    await using data = await createDataDir();
    const env = { ...data.env, DATABASE_URL: database.url };
    const reports = await Promise.all(
      Array.from({ length: 3 }, () => spawnErrandJson<{ schema_version: number; applied: string[] }>(["migrate"], env)),
    );
    const known = await readMigrations();
    expect(reports.map(({ applied }) => applied.length).sort((a, b) => a - b)).toEqual([0, 0, known.length]);
    expect(new Set(reports.map((report) => report.schema_version))).toEqual(new Set([known.at(-1)?.version]));
  });

  it.each([
    ["-- runs-with: 4\nselect 1;", 4],
    ["-- Why.\n-- runs-with: 7\n\nselect 1;", 7],
    ["select 1;\n-- runs-with: 4", 7],
    ["", 7],
  ])("reads from the head of a migration which version still runs on it: %j", (sql, version) => {
    expect(parseRunsWith(sql, 7, "0007_x")).toBe(version);
  });

  it.each([
    "-- runs-with: 8",
    "-- runs-with: 0",
    "-- runs-with: six",
    "-- runs-with 6",
    "-- runs-with: 6\n-- runs-with: 5",
  ])("refuses a migration with an invalid declaration: %j", (sql) => {
    expect(() => parseRunsWith(sql, 7, "0007_x")).toThrow('0007_x must have exactly one line "-- runs-with: N"');
  });
});
