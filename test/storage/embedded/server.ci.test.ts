import { chmod, mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { joinEmbeddedServer } from "../../../src/storage/embedded/server.ts";
import {
  createDataDir,
  errandJson,
  runErrand,
  spawnErrand,
  spawnErrandJson,
  startErrand,
} from "../../_harness/errand.ts";

interface Created {
  id: string;
}

const PATIENCE = { timeout: 100_000, interval: 50 };

describe("the embedded PostgreSQL", () => {
  let data: Awaited<ReturnType<typeof createDataDir>>;

  beforeAll(async () => {
    data = await createDataDir();
  });
  afterAll(() => data[Symbol.asyncDispose]());

  const postmasterFile = () => join(data.path, "postgres/cluster/postmaster.pid");
  const postmasterPid = async () => Number((await readFile(postmasterFile(), "utf8")).split("\n")[0]);
  const isServed = () =>
    readFile(postmasterFile()).then(
      () => true,
      () => false,
    );

  it("is created by the first command, and stopped when no process uses it", async () => {
    expect(await errandJson(["migrate"], data.env)).toMatchObject({ applied: expect.arrayContaining(["0001_ids"]) });
    expect(await isServed()).toBe(false);
    expect(await errandJson(["migrate"], data.env)).toMatchObject({ applied: [] });
  });

  it("serves commands while the service runs, and stops with the last of them", async () => {
    const service = await startErrand(data.env);
    const pid = await postmasterPid();
    const [first, second] = await Promise.all([
      spawnErrandJson<Created>(["app", "create", "--name", "A", "--type", "public"], data.env),
      spawnErrandJson<Created>(["app", "create", "--name", "B", "--type", "confidential"], data.env),
    ]);
    expect(first.id).not.toBe(second.id);
    expect(await postmasterPid()).toBe(pid);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(await service.end("SIGTERM")).toBe(0);
    expect(await isServed()).toBe(false);
  });

  it("survives kill -9 of the service: the next one adopts it, with everything in it", async () => {
    const service = await startErrand(data.env);
    const { id } = await errandJson<Created>(["app", "create", "--name", "Survivor", "--type", "public"], data.env);
    await service.end("SIGKILL");
    const orphan = await postmasterPid();
    const next = await startErrand(data.env);
    expect(await postmasterPid()).toBe(orphan);
    const { applications } = await errandJson<{ applications: Created[] }>(["app", "list"], data.env);
    expect(applications.map((application) => application.id)).toContain(id);
    expect(await next.end("SIGINT")).toBe(0);
    expect(await isServed()).toBe(false);
  });

  it("survives kill -9 of PostgreSQL itself: the next start recovers", async () => {
    const service = await startErrand(data.env);
    const { id } = await errandJson<Created>(["app", "create", "--name", "Durable", "--type", "public"], data.env);
    process.kill(await postmasterPid(), "SIGKILL");
    await service.end("SIGKILL");
    const { applications } = await errandJson<{ applications: Created[] }>(["app", "list"], data.env);
    expect(applications.map((application) => application.id)).toContain(id);
  });

  it("keeps running for a service that lost its connections, and still refuses a second service", async () => {
    const service = await startErrand(data.env);
    const pid = await postmasterPid();
    await using server = await joinEmbeddedServer(data.path, () => {});
    const client = new pg.Client({ connectionString: server.connectionString });
    await client.connect();
    const present = "from pg_stat_activity where application_name like 'errand service %'";
    const { rows } = await client.query(`select pid, pg_terminate_backend(pid) ${present}`);
    expect(rows).toHaveLength(1);
    const again = `select 1 ${present} and pid <> ${rows[0].pid}`;
    await vi.waitFor(async () => expect((await client.query(again)).rowCount).toBe(1), PATIENCE);
    await client.end();
    await server[Symbol.asyncDispose]();
    expect((await runErrand(["app", "list"], data.env)).code).toBe(0);
    expect(await postmasterPid()).toBe(pid);
    const second = await spawnErrand(["start", "--port", "0"], data.env);
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining("in use by") });
    expect(await service.end("SIGTERM")).toBe(0);
    expect(await isServed()).toBe(false);
  });

  it("is restarted by a running service when it is stopped or killed", async () => {
    const service = await startErrand(data.env);
    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      const pid = await postmasterPid();
      process.kill(pid, signal);
      await vi.waitFor(async () => expect(await postmasterPid()).not.toBe(pid), PATIENCE);
      const untilReady = () =>
        vi.waitFor(async () => expect((await fetch(`${service.url}/readyz`)).status).toBe(200), PATIENCE);
      await untilReady();
      expect((await runErrand(["app", "list"], data.env)).code).toBe(0);
      await untilReady();
    }
    expect(await service.end("SIGTERM")).toBe(0);
    expect(await isServed()).toBe(false);
  });

  it("refuses a second service on the same directory, and leaves the first alone", async () => {
    const service = await startErrand(data.env);
    const second = await spawnErrand(["start", "--port", "0"], data.env);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`in use by errand service ${service.child.pid} at ${service.url}`);
    expect(second.stderr).toContain("--data-dir");
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await service.end("SIGTERM");
  });

  it("is started once and stopped once when several commands start at the same time", async () => {
    const fresh = await createDataDir();
    const results = await Promise.all(
      ["A", "B", "C"].map((name) =>
        spawnErrand(["app", "create", "--name", name, "--type", "public", "--json"], fresh.env),
      ),
    );
    expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(results.map(() => ({ code: 0, stderr: "" })));
    const { applications } = await errandJson<{ applications: Created[] }>(["app", "list"], fresh.env);
    expect(applications).toHaveLength(3);
    expect((await readdir(fresh.path)).sort()).toEqual(["postgres", "postgres.log"]);
    expect(await readdir(join(fresh.path, "postgres"))).toEqual(["cluster"]);
    await fresh[Symbol.asyncDispose]();
  });

  it("works in a folder that only its owner can access", async () => {
    const outer = await createDataDir();
    await chmod(outer.path, 0o700);
    const inner = join(outer.path, "deep/data");
    await mkdir(inner, { recursive: true });
    expect(await errandJson(["migrate"], { ERRAND_DATA_DIR: inner })).toMatchObject({
      schema_version: expect.any(Number),
    });
    await outer[Symbol.asyncDispose]();
  });

  it("reports what is wrong with a damaged cluster", async () => {
    const file = join(data.path, "postgres/cluster/PG_VERSION");
    await rename(file, `${file}.away`);
    const { code, stderr } = await runErrand(["app", "list"], data.env);
    await rename(`${file}.away`, file);
    expect(code).toBe(1);
    expect(stderr).toContain("postgres.log");
  });

  it("ignores a lock file whose process id now belongs to another process", async () => {
    await writeFile(postmasterFile(), `${process.pid}\n${data.path}\n1700000000\n59999\n\n127.0.0.1\n\nready   \n`);
    expect((await spawnErrand(["app", "list"], data.env)).code).toBe(0);
  });

  it("is not accessible to other users of the machine, and neither is the key", async () => {
    const service = await startErrand(data.env);
    const modeOf = async (path: string) => ((await stat(join(data.path, path))).mode & 0o777).toString(8);
    expect(await modeOf("secret.key")).toBe("600");
    expect(await modeOf("postgres.log")).toBe("600");
    expect(await modeOf("postgres")).toBe("700");
    expect(await modeOf("postgres/cluster/errand.password")).toBe("600");
    await service.end("SIGTERM");
  });

  it("is not migrated by a service that is refused, nor by a command that is newer than the service", async () => {
    const service = await startErrand(data.env);
    await using server = await joinEmbeddedServer(data.path, () => {});
    const client = new pg.Client({ connectionString: server.connectionString });
    await client.connect();
    // As if this version had one more migration than the running service.
    const newest = "where version = (select max(version) from schema_migrations)";
    const { rows: taken } = await client.query(
      `delete from schema_migrations ${newest} returning version, name, checksum`,
    );
    const command = await runErrand(["app", "list"], data.env);
    expect(command).toMatchObject({ code: 1, stderr: expect.stringContaining("is older than this command") });
    const second = await spawnErrand(["start", "--port", "0"], data.env);
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining("in use by") });
    const { version, name, checksum } = taken[0];
    expect((await client.query("select 1 from schema_migrations where version = $1", [version])).rows).toEqual([]);
    const restore = "insert into schema_migrations (version, name, checksum) values ($1, $2, $3)";
    await client.query(restore, [version, name, checksum]);
    await client.end();
    await service.end("SIGTERM");
  });

  it("ignores the lock file of a process that no longer exists", async () => {
    await writeFile(postmasterFile(), `999999\n${data.path}\n1700000000\n59999\n\n127.0.0.1\n\nready   \n`);
    expect((await spawnErrand(["app", "list"], data.env)).code).toBe(0);
  });
});
