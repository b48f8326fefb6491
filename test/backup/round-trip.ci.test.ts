import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { BACKED_UP_TABLES, EXCLUDED_TABLES } from "../../src/backup/tables.ts";
import { readConfig } from "../../src/config/config.ts";
import { openArtifactFiles } from "../../src/storage/artifacts/artifact-files.ts";
import { createApi } from "../_harness/api.ts";
import { backUpTo, listTables, readRows, restoreFrom } from "../_harness/backup.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { createDataDir, errandJson, runErrand, startErrand } from "../_harness/errand.ts";
import { fillInstallation, type Installation } from "../_harness/filled-installation.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { startObjectStore } from "../_harness/object-store.ts";
import { temporaryFolder } from "../_harness/programs.ts";
import { readSignIn } from "../_harness/saved-sign-in.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

interface BackupAnswer {
  rows: Record<string, number>;
  artifacts: object | null;
  keys: { key_id: string; sign_ins: number; webhook_secrets: number }[];
  with_key: boolean;
}

describe("a backup of a filled installation", () => {
  let service: TestService;
  let filled: Installation;

  beforeAll(async () => {
    service = await startTestService();
    filled = await fillInstallation(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const sourceEnv = () => ({ DATABASE_URL: service.database.url, ERRAND_DATA_DIR: service.dataDir });

  async function emptyDatabase(): Promise<TestDatabase> {
    const database = await createTestDatabase({ migrated: false });
    onTestFinished(() => database[Symbol.asyncDispose]());
    return database;
  }

  it("has every table, or a reason to exclude it", async () => {
    const known = [...BACKED_UP_TABLES, ...Object.keys(EXCLUDED_TABLES)].sort();
    expect(await listTables(service.database)).toEqual(known);
    for (const table of BACKED_UP_TABLES)
      expect(await readRows(service.database, table), `the installation has nothing in ${table}`).not.toEqual([]);
  });

  it("is restored completely on another machine", { timeout: 120_000 }, async () => {
    const file = join(temporaryFolder(), "errand.tar.gz");
    const made = await errandJson<BackupAnswer>(["backup", file, "--with-key"], sourceEnv());
    expect(made).toMatchObject({ with_key: true, artifacts: { files: 1, bytes: 100_000, missing: 0, damaged: 0 } });
    expect(made.keys).toMatchObject([{ sign_ins: 1, webhook_secrets: 1 }]);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const target = await emptyDatabase();
    await using data = await createDataDir();
    const env = { DATABASE_URL: target.url, ERRAND_DATA_DIR: data.path };
    const restored = await errandJson<object>(["restore", file], env);
    expect(restored).toMatchObject({
      executions: { ended_as_worker_lost: 1, canceled: 2, kept: 0 },
      missing_keys: [],
      ledger_problems: [],
      migrated: [],
      rows: made.rows,
      artifacts_in: join(data.path, "artifacts"),
    });

    await expectSameRows(target);
    await expectEndings(target);
    await expectLedgerAddsUp({ database: target });
    expect(await readSignIn({ ...service, database: target, dataDir: data.path }, filled.member.connectionId)).toEqual(
      filled.signIn,
    );

    const running = await startErrand(env);
    try {
      const api = createApi(running.url, filled.member);
      const { execution } = (await api.get(filled.completedId)).body;
      expect(execution).toEqual((await createApi(service.url, filled.member).get(filled.completedId)).body.execution);
      const artifact = await api.artifact(filled.completedId, filled.artifact.id);
      expect(artifact.body.equals(filled.artifact.data)).toBe(true);
      // The ledger continues, and an idempotency key from before still finds its execution.
      await api.created({ prompt: "Go on." });
      const again = await api.create({ prompt: execution.prompt }, { "idempotency-key": "the-key" });
      expect(again.body.execution.id).toBe(filled.completedId);
    } finally {
      await running.end("SIGTERM");
    }
    await expectLedgerAddsUp({ database: target });
  });

  it("is not restored next to artifacts of another installation, except without artifacts", {
    timeout: 100_000,
  }, async () => {
    const file = join(temporaryFolder(), "errand.tar.gz");
    await using store = await startObjectStore();
    using files = openArtifactFiles(readConfig({ ...store.settings, ERRAND_DATA_DIR: service.dataDir }, "/"));
    await backUpTo(file, service.database.url, {
      files: openArtifactFiles(readConfig({ ERRAND_DATA_DIR: service.dataDir }, "/")),
    });
    await files.write(randomUUID(), randomUUID(), Buffer.from("of another installation"));
    const others = await store.keys();
    const target = await emptyDatabase();
    await using data = await createDataDir();
    const env = { DATABASE_URL: target.url, ERRAND_DATA_DIR: data.path, ERRAND_SECRET_KEY: "x".repeat(32) };
    const refused = await runErrand(["restore", file, "--json"], { ...env, ...store.settings });
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stderr).error).toMatchObject({
      code: "PLACE_IN_USE",
      message: expect.stringMatching(/errand-artifacts .*ERRAND_ARTIFACTS_S3_PREFIX.*--without-artifacts/),
    });
    expect(await listTables(target)).toEqual([]);
    const restored = await runErrand(["restore", file, "--without-artifacts", "--json"], { ...env, ...store.settings });
    expect(JSON.parse(restored.stdout)).toMatchObject({ artifacts_in: null });
    expect(await readRows(target, "execution_artifacts")).toEqual(
      await readRows(service.database, "execution_artifacts"),
    );
    expect(await store.keys()).toEqual(others);
  });

  it("leaves no artifacts behind if the restore fails", async () => {
    const file = join(temporaryFolder(), "errand.tar.gz");
    await backUpTo(file, service.database.url, {
      files: openArtifactFiles(readConfig({ ERRAND_DATA_DIR: service.dataDir }, "/")),
    });
    const target = await emptyDatabase();
    const dataDir = temporaryFolder();
    const beforeCommit = () => {
      expect(readdirSync(join(dataDir, "artifacts", filled.completedId))).toEqual([filled.artifact.id]);
      throw new Error("the disk is full");
    };
    const files = openArtifactFiles(readConfig({ ERRAND_DATA_DIR: dataDir }, "/"));
    await expect(
      restoreFrom(file, target.url, { artifacts: { files, location: dataDir }, beforeCommit }),
    ).rejects.toThrow("the disk is full");
    expect(readdirSync(join(dataDir, "artifacts", filled.completedId))).toEqual([]);
  });

  /** Everything except what a restore must change: unfinished executions and what depends on them. */
  async function expectSameRows(target: TestDatabase): Promise<void> {
    const { queuedId, claimedId, begunId } = filled;
    const unfinished = `in ('${queuedId}', '${claimedId}', '${begunId}')`;
    const except: Partial<Record<(typeof BACKED_UP_TABLES)[number], string>> = {
      owners: "balance is null",
      connections: "running_execution_id is null and queued_since is null",
      executions: `not id ${unfinished}`,
      execution_events: `not execution_id ${unfinished}`,
      credit_entries: `execution_id is null or not execution_id ${unfinished}`,
      spending_entries: `not execution_id ${unfinished}`,
      webhook_deliveries: `execution_id is null or not execution_id ${unfinished}`,
    };
    for (const table of BACKED_UP_TABLES)
      expect(await readRows(target, table, except[table]), table).toEqual(
        await readRows(service.database, table, except[table]),
      );
    for (const table of ["sessions", "verifications", "authorization_codes", "sign_in_attempts"])
      expect(await readRows(target, table), table).toEqual([]);
  }

  async function expectEndings(target: TestDatabase): Promise<void> {
    const endings = await target.query(
      `select id, status, terminal_status, charged,
         (select type from execution_events where execution_id = executions.id order by id desc limit 1) as event,
         (select count(*)::int from webhook_deliveries where execution_id = executions.id) as told
       from executions where id = any ($1) order by id`,
      [[filled.queuedId, filled.claimedId, filled.begunId]],
    );
    const ended = { status: "FAILED", charged: false, event: "execution.failed", told: 1 };
    expect(endings).toEqual([
      { id: filled.queuedId, terminal_status: "canceled", ...ended },
      { id: filled.claimedId, terminal_status: "canceled", ...ended },
      { id: filled.begunId, terminal_status: "worker_lost", ...ended },
    ]);
    const spent = await target.query(
      "select kind, change::int from spending_entries where execution_id = $1 order by id",
      [filled.begunId],
    );
    expect(spent).toEqual([
      { kind: "reserve", change: 1690 },
      { kind: "send", change: 0 },
      { kind: "capture", change: 0 },
    ]);
    const held = "running_execution_id is not null or check_expires_at is not null";
    expect(await readRows(target, "connections", held)).toEqual([]);
  }

  it("runs queued executions if asked to, and never those that had started", async () => {
    const file = join(temporaryFolder(), "errand.tar.gz");
    await backUpTo(file, service.database.url);
    const target = await emptyDatabase();
    const { settlement } = await restoreFrom(file, target.url, { keepQueued: true });
    expect(settlement).toEqual({ lost: 1, canceled: 0, kept: 2 });
    const rows = await target.query(
      `select id, status, lease_expires_at <= now() as "isOverdue" from executions
       where id = any ($1) order by id`,
      [[filled.queuedId, filled.claimedId, filled.begunId]],
    );
    expect(rows).toEqual([
      { id: filled.queuedId, status: "QUEUED", isOverdue: null },
      { id: filled.claimedId, status: "RUNNING", isOverdue: true },
      { id: filled.begunId, status: "FAILED", isOverdue: null },
    ]);
    await expectLedgerAddsUp({ database: target });
  });

  it("is consistent while executions are created", { timeout: 100_000 }, async () => {
    const file = join(temporaryFolder(), "errand.tar.gz");
    const busy = await service.connect({ applicationId: filled.member.applicationId });
    const api = createApi(service.url, busy);
    let isOver = false;
    let created = 0;
    const storm = Promise.all(
      Array.from({ length: 2 }, async () => {
        for (; !isOver; created += 1) await api.cancel((await api.created()).id);
      }),
    );
    try {
      await expect.poll(() => created, { timeout: 100_000 }).toBeGreaterThan(5);
      await backUpTo(file, service.database.url);
    } finally {
      isOver = true;
      await storm;
    }
    const target = await emptyDatabase();
    const { ledgerProblems } = await restoreFrom(file, target.url);
    expect(ledgerProblems).toEqual([]);
    await expectLedgerAddsUp({ database: target });
  });

  it("has no master key unless asked for, and names the one that will be needed", { timeout: 100_000 }, async () => {
    const folder = temporaryFolder();
    const { stdout, code } = await runErrand(["backup", join(folder, "errand.tar.gz")], sourceEnv());
    expect(code).toBe(0);
    const [row] = await service.database.query<{ keyId: string }>(`select key_id as "keyId" from saved_sign_ins`);
    expect(stdout).toContain(`Keep a copy of ${row?.keyId}`);
    const key = readFileSync(join(service.dataDir, "secret.key"), "utf8").trim();
    const target = await emptyDatabase();
    await using data = await createDataDir();
    const env = { DATABASE_URL: target.url, ERRAND_DATA_DIR: data.path };
    const restored = await runErrand(["restore", join(folder, "errand.tar.gz"), "--json"], env);
    expect(restored.code).toBe(3);
    expect(JSON.parse(restored.stdout)).toMatchObject({ missing_keys: [row?.keyId] });
    expect(await readdir(data.path)).not.toContain("secret.key");
    // Added afterwards, the key decrypts everything.
    const found = await errandJson<{ keys: object[] }>(["key", "list"], { ...env, ERRAND_SECRET_KEY: key });
    expect(found.keys).toMatchObject([{ key_id: row?.keyId, missing: false, sign_ins: 1 }]);
  });
});
