import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOperations } from "../../src/app/operations.ts";
import { openDatabase } from "../../src/storage/database.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { createDataDir, type RunningErrand, runErrand, startErrand } from "../_harness/errand.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { type FaultSite, PROMPTS, startFaultSite } from "./_site.ts";
import { createTinyDisk } from "./environment/tiny-disk.ts";

const MEGABYTES = 4;
const PATIENCE = { timeout: 100_000, interval: 200 };

describe("artifact storage that fails", () => {
  let data: Awaited<ReturnType<typeof createDataDir>>;
  let database: TestDatabase;
  let site: FaultSite;
  let env: Record<string, string>;
  let connection: { applicationId: string; token: string };

  beforeAll(async () => {
    data = await createDataDir();
    database = await createTestDatabase();
    site = await startFaultSite();
    env = { ...data.env, DATABASE_URL: database.url, ERRAND_ALLOW_HOSTS: site.host };
    await using own = openDatabase({ connectionString: database.url, poolSize: 1, onError: () => {} });
    const { applications, people, connections } = createOperations(own);
    const { application } = await applications.register({ name: "A", type: "public", redirectUris: [] });
    const person = await people.findOrCreate("user@example.com");
    const { accessToken: token } = await connections.connect(application.id, person.id);
    connection = { applicationId: application.id, token };
  });
  afterAll(async () => {
    for (const part of [site, database, data]) await part[Symbol.asyncDispose]();
  });

  const order = async (api: Api, key: string) =>
    (await api.created({ prompt: PROMPTS.order, start_url: site.url("order", key) })).id;
  const ended = async (api: Api, id: string) => (await api.get(id, "?wait=30")).body.execution;
  const readiness = async ({ url }: RunningErrand) => (await fetch(`${url}/readyz`)).text();

  const folder = () => join(data.path, "artifacts");
  const disk = () => createTinyDisk(folder(), MEGABYTES);

  it("(the disk is full during a run) fails the run; nothing more is run until there is space", async ({ skip }) => {
    const tiny = disk();
    if (tiny === null) return skip("this machine lets no process mount anything: try `unshare -rm true`");
    const errand = await startErrand(env, ["start"], tiny.prefix);
    const pid = errand.child.pid ?? 0;
    const api = createApi(errand.url, connection);
    const held = site.hold({ key: "full", method: "POST", path: "/orders" });
    const id = await order(api, "full");
    await held.arrived;
    tiny.fill(pid);
    held.release();
    const execution = await ended(api, id);
    expect(execution, JSON.stringify(execution)).toMatchObject({
      status: "FAILED",
      terminal: { status: "internal_error" },
      error: { code: "EVIDENCE_NOT_KEPT" },
      usage: { charged: false },
    });
    const last = (await api.events(id)).body.events.at(-1);
    expect(last?.data["side_effects"]).toHaveLength(1);
    expect(errand.stderr().match(/Could not store an artifact of the run/g)).toHaveLength(1);
    expect(tiny.list(pid).filter((path) => path.endsWith(".draft"))).toEqual([]);

    await expect.poll(() => readiness(errand), PATIENCE).toContain("Cannot store artifacts.");
    const waiting = await order(api, "waiting");
    await expect.poll(() => errand.stderr().split("not claiming executions").length, PATIENCE).toBeGreaterThan(2);
    expect((await api.get(waiting)).body.execution.status).toBe("QUEUED");
    tiny.empty(pid);
    expect((await ended(api, waiting)).status).toBe("COMPLETED");
    expect(await readiness(errand)).not.toContain("Artifacts");
    expect(await errand.end("SIGTERM")).toBe(0);
    await expectLedgerAddsUp({ database });
  });

  it("(the path is not a folder) is reported by doctor and by readiness, and nothing is run until it is fixed", async () => {
    rmSync(folder(), { recursive: true, force: true });
    writeFileSync(folder(), "");
    const doctor = JSON.parse((await runErrand(["doctor", "--json"], env)).stdout);
    expect(doctor.checks).toContainEqual(expect.objectContaining({ name: "artifacts", status: "problem" }));
    const errand = await startErrand(env, ["start"]);
    const api = createApi(errand.url, connection);
    const id = await order(api, "none");
    await expect.poll(() => readiness(errand), PATIENCE).toContain("Cannot store artifacts.");
    expect((await api.get(id)).body.execution.status).toBe("QUEUED");
    rmSync(folder());
    mkdirSync(folder(), { mode: 0o700 });
    expect((await ended(api, id)).status).toBe("COMPLETED");
    expect(await errand.end("SIGTERM")).toBe(0);
  });
});
