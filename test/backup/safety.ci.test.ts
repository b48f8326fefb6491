import { execFileSync } from "node:child_process";
import { createReadStream, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { checkBackup } from "../../src/backup/read-backup.ts";
import { dropSchema } from "../../src/backup/restore-tables.ts";
import { splitIntoChunks, writeBackup, writeFileAtomically } from "../../src/backup/write-backup.ts";
import { applyMigration, CREATE_MIGRATION_TABLE, readMigrations } from "../../src/storage/migrations.ts";
import { backUpTo, listTables, NEVER, readRows, restoreFrom, rewriteBackup } from "../_harness/backup.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { runErrand, spawnErrand } from "../_harness/errand.ts";
import { temporaryFolder } from "../_harness/programs.ts";
import { startTestService } from "../_harness/service.ts";

/** One application of the first owner, with a user who has one execution. */
const FILL = `
  with person as (insert into users (name, email) values ('Ann', 'ann@example.com') returning id),
  application as (insert into applications (owner_id, name, type) select id, 'Shop', 'public' from owners returning id),
  connection as (
    insert into connections (application_id, user_id) select application.id, person.id from application, person returning id
  )
  insert into executions (connection_id, prompt, credits, status, terminal_status, error_code, completed_at)
  select id, 'Go.', 0, 'FAILED', 'canceled', 'CANCELED', now() from connection`;

describe("backups", () => {
  let source: TestDatabase;
  let empty: TestDatabase;
  let folder: string;
  let whole: string;
  let good: Buffer | null = null;

  beforeAll(async () => {
    source = await createTestDatabase();
    await source.query(FILL);
    empty = await createTestDatabase({ migrated: false });
  });
  afterAll(async () => {
    await source[Symbol.asyncDispose]();
    await empty[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    folder = temporaryFolder();
    whole = join(folder, "whole.tar.gz");
    if (good === null) await backUpTo(whole, source.url);
    good ??= readFileSync(whole);
    writeFileSync(whole, good);
  });

  const changed = (name: string, change: (data: Buffer) => Buffer | null) => async () => {
    const path = join(folder, "changed.tar.gz");
    await rewriteBackup(whole, path, (entry, data) => (entry.startsWith(name) ? change(data) : data));
    return path;
  };
  const replaceText = (from: RegExp, to: string) => (data: Buffer) =>
    Buffer.from(data.toString("latin1").replace(from, to), "latin1");

  describe("that cannot be restored", () => {
    it.each<[string, () => Promise<string>, RegExp]>([
      ["does not exist", async () => join(folder, "nowhere"), /the file does not exist/],
      ["is a folder", async () => folder, /it is not a file/],
      ["is a pipe", async () => pipe(), /a pipe cannot be read twice\. Save the backup to a file first/],
      ["is standard input", async () => "-", /read twice/],
      ["is a text", async () => write("hello there"), /not an Errand backup/],
      ["is empty", async () => write(""), /truncated|not an Errand backup/],
      ["is another archive", () => rewritten(() => null, { "etc/passwd": Buffer.from("x") }), /an unknown entry/],
      ["has no header", changed("header.json", () => null), /not an Errand backup/],
      ["has no manifest", changed("manifest.json", () => null), /truncated/],
      [
        "has data after the manifest",
        () => rewritten((_, data) => data, { "secret.key": Buffer.from("x") }),
        /data after its end/,
      ],
      [
        "has a newer format",
        changed("header.json", replaceText(/"format_version": 1/, '"format_version": 2')),
        /newer/,
      ],
      [
        "has a newer schema",
        changed("header.json", (data) => {
          const header = JSON.parse(data.toString());
          header.migrations.push({ version: 9_999, name: "9999_future", checksum: "x" });
          return Buffer.from(JSON.stringify(header));
        }),
        /newer version of Errand \(0\.0\.0, with 9999_future\)/,
      ],
      [
        "has different migrations",
        changed("header.json", replaceText(/"checksum": "./, '"checksum": "x')),
        /does not have/,
      ],
      ["has other rows", changed("tables/users", replaceText(/Ann/, "Eve")), /damaged \(table users\)/],
      ["misses rows", changed("tables/executions/", () => null), /damaged \(table executions\)/],
      ["has another manifest", changed("manifest.json", replaceText(/"rows"/, '"lines"')), /manifest is not valid/],
    ])("because it %s is refused, and nothing is written", async (_, make, message) => {
      const path = await make();
      await expect(restoreFrom(path, empty.url)).rejects.toThrow(message);
      expect(await listTables(empty)).toEqual([]);
    });

    const write = (text: string) => {
      const path = join(folder, "text");
      writeFileSync(path, text);
      return path;
    };
    const pipe = () => {
      const path = join(folder, "pipe");
      execFileSync("mkfifo", [path]);
      return path;
    };
    const rewritten = async (change: Parameters<typeof rewriteBackup>[2], added: Record<string, Buffer>) => {
      const path = join(folder, "rewritten.tar.gz");
      await rewriteBackup(whole, path, change, added);
      return path;
    };

    it("because it is truncated at any point is refused", async () => {
      const { length } = readFileSync(whole);
      const cut = join(folder, "cut.tar.gz");
      for (const kept of [1, 10, 100, length >> 2, length >> 1, length - 100, length - 9, length - 8, length - 1]) {
        writeFileSync(cut, readFileSync(whole));
        truncateSync(cut, kept);
        await expect(checkBackup(cut, NEVER), `cut to ${kept} of ${length}`).rejects.toThrow(
          /truncated|damaged|not an Errand backup/,
        );
      }
    });

    it("because any bit has changed is refused", async () => {
      const good = readFileSync(whole);
      const bad = join(folder, "bad.tar.gz");
      const step = Math.ceil(good.length / 60);
      let count = 0;
      // The first ten bytes are the gzip header, parts of which have no meaning.
      for (let at = 10; at < good.length; at += step) {
        const bytes = Buffer.from(good);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
        // The same is true of the padding bits at the end of the compressed data.
        if (unzip(bytes)?.equals(gunzipSync(good)) === true) continue;
        count += 1;
        writeFileSync(bad, bytes);
        await expect(checkBackup(bad, NEVER), `byte ${at} of ${good.length}`).rejects.toThrow(/cannot be restored/);
      }
      expect(count).toBeGreaterThan(50);
    });

    it("because its rows violate the schema leaves the database unchanged", async () => {
      const path = join(folder, "odd.tar.gz");
      await using odd = await createTestDatabase();
      await odd.query(FILL);
      await odd.query("alter table connections drop constraint connections_user_id_fkey");
      await odd.query("delete from users");
      await backUpTo(path, odd.url);
      await using target = await createTestDatabase();
      const before = await readRows(target, "owners");
      await expect(restoreFrom(path, target.url)).rejects.toThrow(/connections_user_id_fkey/);
      expect(await readRows(target, "owners")).toEqual(before);
      expect(await readRows(target, "applications")).toEqual([]);
    });
  });

  describe("are restored", () => {
    it("into a database that was started once and never used", async () => {
      await using target = await createTestDatabase();
      await restoreFrom(whole, target.url);
      for (const table of ["owners", "users", "executions", "credit_entries"])
        expect(await readRows(target, table)).toEqual(await readRows(source, table));
    });

    it("only into an empty database", async () => {
      await using target = await createTestDatabase();
      await target.query("insert into users (name, email) values ('Bob', 'bob@example.com')");
      await expect(restoreFrom(whole, target.url)).rejects.toThrow(
        /is not empty: it has users.*--data-dir.*DATABASE_URL/,
      );
      expect(await readRows(target, "users")).toHaveLength(1);
      await using granted = await createTestDatabase();
      await granted.query("insert into credit_entries (owner_id, kind, credits) select id, 'grant', 0 from owners");
      await expect(restoreFrom(whole, granted.url)).rejects.toThrow(/it has credit entries/);
    });

    it("not while a service is running", async () => {
      await using service = await startTestService();
      await expect(restoreFrom(whole, service.database.url)).rejects.toThrow(/Errand is running on this database/);
    });

    it("by a newer version, which migrates the schema", async () => {
      const migrations = await readMigrations();
      await using old = await createTestDatabase({ migrated: false });
      await using client = await connect(old);
      await client.query(CREATE_MIGRATION_TABLE);
      for (const migration of migrations.filter(({ version }) => version <= 11))
        await applyMigration(client, migration);
      await client.query(FILL);
      const path = join(folder, "old.tar.gz");
      await backUpTo(path, old.url);
      await using target = await createTestDatabase();
      const { migrated } = await restoreFrom(path, target.url);
      expect(migrated).toEqual(migrations.filter(({ version }) => version > 11).map(({ name }) => name));
      expect(await readRows(target, "users")).toEqual(await readRows(old, "users"));
      const columns =
        "select table_name, column_name from information_schema.columns where table_schema = current_schema()";
      expect(await target.query(`${columns} order by 1, 2`)).toEqual(await source.query(`${columns} order by 1, 2`));
    });

    it("because everything that migrations create can be dropped", async () => {
      await using database = await createTestDatabase();
      await using client = await connect(database);
      await dropSchema(client, await readMigrations());
      const left = await database.query(
        `select relname as name from pg_class where relnamespace = current_schema()::regnamespace
         union all select proname from pg_proc where pronamespace = current_schema()::regnamespace
         union all select typname from pg_type where typnamespace = current_schema()::regnamespace`,
      );
      expect(left).toEqual([]);
    });
  });

  describe("that are interrupted", () => {
    /** Makes backups wait for a table lock. */
    async function holdUsers() {
      const client = await connect(source);
      await client.query("begin");
      await client.query("lock table users in access exclusive mode");
      return client;
    }
    /** The backup process, once it is waiting. */
    async function findWaiting(): Promise<number> {
      const look = () =>
        source.query<{ pid: number }>(
          `select split_part(application_name, ' ', 3)::int as pid from pg_stat_activity
           where application_name like 'errand backup%' and wait_event_type = 'Lock' and datname = current_database()`,
        );
      await expect.poll(look, { timeout: 100_000 }).toHaveLength(1);
      return (await look())[0]?.pid ?? 0;
    }

    it("by Ctrl-C leave no file", async () => {
      await using _held = await holdUsers();
      const halves = async () => (await readdir(folder)).filter((name) => name.startsWith("half"));
      const running = spawnErrand(["backup", join(folder, "half.tar.gz")], {
        DATABASE_URL: source.url,
        ERRAND_DATA_DIR: folder,
      });
      const pid = await findWaiting();
      expect(await halves()).toHaveLength(1);
      process.kill(pid, "SIGINT");
      const { code, stderr } = await running;
      expect(code).toBe(1);
      expect(stderr).toContain("Interrupted. No backup was made.");
      expect(await halves()).toEqual([]);
    });

    it("by a lost database leave no file, and keep yesterday's", async () => {
      await using _held = await holdUsers();
      const before = readFileSync(whole);
      const failing = writeFileAtomically(whole, { mayReplace: true }, (stream) =>
        writeBackup(
          { stream, staysOpen: false },
          {
            connectionString: source.url,
            files: null,
            keyFile: null,
            errandVersion: "0.0.0",
            madeAt: new Date(),
            signal: NEVER,
            onProgress: () => {},
          },
        ),
      );
      const failed = expect(failing).rejects.toThrow(
        /^Lost the connection to the database: .*terminat.* No backup was made/,
      );
      await findWaiting();
      await source.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'errand backup%' and datname = current_database()",
      );
      await failed;
      expect(await readdir(folder)).toEqual(["whole.tar.gz"]);
      expect(readFileSync(whole).equals(before)).toBe(true);
    });
  });

  it("overwrite nothing unless forced", { timeout: 100_000 }, async () => {
    const env = { DATABASE_URL: source.url, ERRAND_DATA_DIR: folder };
    const before = readFileSync(whole);
    const refused = await runErrand(["backup", whole], env);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("already exists");
    expect(readFileSync(whole).equals(before)).toBe(true);
    expect((await runErrand(["backup", whole, "--force"], env)).code).toBe(0);
    expect(readFileSync(whole).equals(before)).toBe(false);
    await checkBackup(whole, NEVER);
    expect((await runErrand(["backup", folder, "--force"], env)).stderr).toContain(
      "is a folder. Name a file inside it.",
    );
    expect((await runErrand(["backup", join(folder, "no/such/folder"), "--json"], env)).stderr).toContain(
      "NOT_WRITABLE",
    );
  });

  it("are split into chunks of one size", async () => {
    const all = readFileSync(whole);
    for (const size of [1_000, 65_536, all.length, all.length + 1]) {
      const pieces: Buffer[] = [];
      for await (const piece of splitIntoChunks(createReadStream(whole, { highWaterMark: 700 }), size))
        pieces.push(piece);
      expect(Buffer.concat(pieces).equals(all)).toBe(true);
      expect(pieces.slice(0, -1).every((piece) => piece.length === size)).toBe(true);
      expect(pieces.at(-1)?.length).toBeLessThanOrEqual(size);
    }
  });
});

async function connect({ url }: TestDatabase): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

function unzip(bytes: Buffer): Buffer | null {
  try {
    return gunzipSync(bytes);
  } catch {
    return null;
  }
}
