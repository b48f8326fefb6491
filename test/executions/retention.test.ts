import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHousekeeping } from "../../src/app/background-jobs.ts";
import { startJobs } from "../../src/jobs/job-runner.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { smallestUuidAt } from "../../src/lib/uuid.ts";
import { createArtifactFolder } from "../../src/storage/artifacts/folder.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { createRetentionStore } from "../../src/storage/sql/retention.ts";
import { createApi } from "../_harness/api.ts";
import { keepArtifact } from "../_harness/console-world.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

const DAY_MS = 24 * 60 * 60_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

describe("retention", () => {
  let service: TestService;
  let connection: TestConnection;

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** Runs each task once, as a worker does. */
  async function keepHouse(keepExecutionsDays: number, keepArtifactsDays: number): Promise<void> {
    const session = await addSession(daysAgo(3));
    const ended = await addEnded({ createdDaysAgo: 2, endedDaysAgo: 2 });
    const orphan = writeFileOf(ended, { daysOld: 2 });
    await using database = openDatabase({ connectionString: service.database.url, poolSize: 2, onError: () => {} });
    const logger = createLogger("silent", process.stderr);
    const jobs = createHousekeeping({
      config: { keepExecutionsDays, keepArtifactsDays },
      store: createRetentionStore(database),
      files: createArtifactFolder(service.dataDir),
      logger,
    });
    await using _running = startJobs({ ...jobs, connectionString: service.database.url, logger });
    const look = async () => ({ session: await find("sessions", session), hasOrphan: existsSync(orphan) });
    await expect.poll(look, { timeout: 100_000 }).toEqual({ session: null, hasOrphan: false });
  }

  async function find(table: string, id: string): Promise<object | null> {
    const [row] = await service.database.query(`select * from ${table} where id = $1`, [id]);
    return row ?? null;
  }

  /** An execution with an event and ledger entries. */
  async function addEnded(times: {
    createdDaysAgo: number;
    endedDaysAgo: number | null;
    key?: string;
  }): Promise<string> {
    const createdAt = daysAgo(times.createdDaysAgo);
    const id = smallestUuidAt(createdAt).slice(0, 24) + randomBytes(6).toString("hex");
    const endedAt = times.endedDaysAgo === null ? null : daysAgo(times.endedDaysAgo);
    await service.database.query(
      `with execution as (
         insert into executions (id, connection_id, prompt, credits, created_at, idempotency_key, request_hash, completed_at,
           status, terminal_status, error_code)
         values ($1, $2, 'Go.', 1, $3, $4, case when $4::text is not null then '\\x01'::bytea end, $5,
           case when $5::timestamptz is null then 'QUEUED' else 'FAILED' end,
           case when $5::timestamptz is not null then 'canceled' end, case when $5::timestamptz is not null then 'CANCELED' end)
         returning id
       ), event as (
         insert into execution_events (execution_id, id, type, data) select id, 1, 'execution.created', '{}' from execution
       ), ledger as (
         insert into credit_entries (owner_id, application_id, execution_id, kind, credits)
         select owner_id, applications.id, execution.id, kind, 1
         from applications, execution, (values ('reserve'), ('release')) as kinds (kind)
         where applications.id = $6 and (kind = 'reserve' or $5::timestamptz is not null)
       )
       update owners set balance = balance - 1 where $5::timestamptz is null`,
      [id, connection.connectionId, createdAt, times.key ?? null, endedAt, connection.applicationId],
    );
    return id;
  }

  function writeFileOf(
    executionId: string,
    { daysOld, name = randomUUID() }: { daysOld: number; name?: string },
  ): string {
    const folder = join(service.dataDir, "artifacts", executionId);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, name);
    writeFileSync(path, "left over");
    utimesSync(path, daysAgo(daysOld), daysAgo(daysOld));
    return path;
  }

  async function addSession(expiresAt: Date): Promise<string> {
    const [row] = await service.database.query<{ id: string }>(
      "insert into sessions (user_id, token, expires_at) values ($1, $2, $3) returning id",
      [connection.userId, randomUUID(), expiresAt],
    );
    return row?.id ?? "";
  }

  const keep = (executionId: string) =>
    keepArtifact(service, executionId, { name: "seen.png", contentType: "image/png", data: Buffer.from("picture") });
  const fileOf = (executionId: string, artifactId: string) =>
    join(service.dataDir, "artifacts", executionId, artifactId);

  it("keeps everything by default", async () => {
    const ancient = await addEnded({ createdDaysAgo: 4_000, endedDaysAgo: 4_000 });
    const artifact = await keep(ancient);
    await keepHouse(0, 0);
    expect((await createApi(service.url, connection).artifact(ancient, artifact)).status).toBe(200);
  });

  it("removes old executions with everything they have, except the ledger", async () => {
    const old = await addEnded({ createdDaysAgo: 40, endedDaysAgo: 39, key: "spent" });
    const artifact = await keep(old);
    const young = await addEnded({ createdDaysAgo: 20, endedDaysAgo: 20 });
    const long = await addEnded({ createdDaysAgo: 40, endedDaysAgo: 1 });
    const waiting = await addEnded({ createdDaysAgo: 40, endedDaysAgo: null });
    const many = await Promise.all(
      Array.from({ length: 230 }, () => addEnded({ createdDaysAgo: 50, endedDaysAgo: 50 })),
    );
    const count = "select count(*)::int as count from credit_entries";
    const before = await service.database.query(count);
    await keepHouse(30, 0);
    const left = await service.database.query<{ id: string }>("select id from executions where id = any ($1)", [
      [old, young, long, waiting, ...many],
    ]);
    expect(left.map(({ id }) => id).sort()).toEqual([young, long, waiting].sort());
    expect(existsSync(fileOf(old, artifact))).toBe(false);
    for (const table of ["execution_events", "execution_artifacts"])
      expect(await service.database.query(`select 1 from ${table} where execution_id = $1`, [old])).toEqual([]);
    // The check itself added two entries.
    expect(await service.database.query(count)).toEqual([{ count: Number(before[0]?.["count"]) + 2 }]);
    await expectLedgerAddsUp(service);
    const api = createApi(service.url, connection);
    expect((await api.get(old)).status).toBe(404);
    expect((await api.create({ prompt: "Go." }, { "idempotency-key": "spent" })).status).toBe(201);
  });

  it("removes artifacts earlier if configured, and responds with 410", async () => {
    const old = await addEnded({ createdDaysAgo: 10, endedDaysAgo: 9 });
    const artifact = await keep(old);
    const young = await addEnded({ createdDaysAgo: 5, endedDaysAgo: 5 });
    const kept = await keep(young);
    await keepHouse(0, 7);
    const api = createApi(service.url, connection);
    expect((await api.artifacts(old)).body.artifacts).toMatchObject([{ id: artifact }]);
    const gone = await api.artifact(old, artifact);
    expect(gone.status).toBe(410);
    expect(gone.body.toString()).toContain("Artifacts are kept for a limited time. This one was removed on");
    expect(existsSync(fileOf(old, artifact))).toBe(false);
    expect((await api.artifact(young, kept)).status).toBe(200);
    const touch = (change: string) =>
      service.database.query(`update execution_artifacts set ${change} where id = $1`, [artifact]);
    await expect(touch("expired_at = null")).rejects.toThrow("append-only");
    await expect(touch("name = 'another'")).rejects.toThrow("append-only");
  });

  it("removes orphaned files, unless they may belong to another installation", async () => {
    const ended = await addEnded({ createdDaysAgo: 3, endedDaysAgo: 3 });
    const justEnded = await addEnded({ createdDaysAgo: 3, endedDaysAgo: 0 });
    const listed = await keep(ended);
    utimesSync(fileOf(ended, listed), daysAgo(3), daysAgo(3));
    const orphan = writeFileOf(ended, { daysOld: 2 });
    const draft = writeFileOf(ended, { daysOld: 2, name: `${randomUUID()}.${randomUUID()}.draft` });
    const fresh = writeFileOf(ended, { daysOld: 0 });
    const late = writeFileOf(justEnded, { daysOld: 2 });
    const foreign = writeFileOf(randomUUID(), { daysOld: 400 });
    await keepHouse(0, 0);
    const present = [fileOf(ended, listed), orphan, draft, fresh, late, foreign].map((path) => existsSync(path));
    expect(present).toEqual([true, false, false, true, true, true]);
  });

  it("removes expired sessions, codes and sign-in attempts", async () => {
    const live = await addSession(daysAgo(-1));
    const just = await addSession(daysAgo(0.5));
    for (const [hash, days] of [
      ["\\x0a", 2],
      ["\\x0b", 0.5],
    ] as const) {
      await service.database.query(
        `insert into authorization_codes (code_hash, connection_id, redirect_uri, expires_at)
         values ($1::bytea, $2, 'http://127.0.0.1/callback', $3)`,
        [hash, connection.connectionId, daysAgo(days)],
      );
    }
    await service.database.query(
      `insert into sign_in_attempts (application_id, user_id, redirect_uri, expires_at)
       values ($1, $2, 'http://127.0.0.1/callback', $3)`,
      [connection.applicationId, connection.userId, daysAgo(2)],
    );
    await service.database.query("insert into verifications (identifier, value, expires_at) values ('a', 'b', $1)", [
      daysAgo(2),
    ]);
    await keepHouse(0, 0);
    expect([await find("sessions", live), await find("sessions", just)]).not.toContain(null);
    const codes = await service.database.query("select encode(code_hash, 'hex') as hash from authorization_codes");
    expect(codes).toEqual([{ hash: "0b" }]);
    expect(
      await service.database.query("select 1 from sign_in_attempts union all select 1 from verifications"),
    ).toEqual([]);
  });
});
