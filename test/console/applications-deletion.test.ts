import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Errand, type ErrandOutcome, StopReason } from "../../src/agent/loop/errand.ts";
import { createApi } from "../_harness/api.ts";
import { type ConsoleVisit, visitConsole } from "../_harness/console.ts";
import { expectLedgerAddsUp } from "../_harness/ledger.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";
import { startTestWorker, stepReport, type TestWorker, untilStopped, VERIFIED } from "../_harness/worker.ts";

const PICTURE = {
  kind: "screenshot",
  name: "seen.png",
  contentType: "image/png",
  data: Buffer.from("what a signed-in user saw"),
} as const;
const QUEUED = 10_000;

describe("deleting an application in use", () => {
  let service: TestService;
  let worker: TestWorker;
  let owner: ConsoleVisit;
  let ownerId: string;
  /** Stopped runs by execution: the reason, and what they could still write. */
  const stopped = new Map<string, { reason: string; wrote: string[] }>();

  beforeAll(async () => {
    service = await startTestService();
    worker = await startTestWorker(service, { runErrand, concurrency: 3 });
    owner = await visitConsole(service, { credits: 100_000 });
    const [row] = await service.database.query<{ id: string }>("select id from owners where user_id = $1", [
      owner.userId,
    ]);
    ownerId = row?.id ?? "";
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    await expectLedgerAddsUp(service);
    await expectAllSettled();
  });

  /** Stores a screenshot; "Stay." continues until it is stopped, and then still tries to write. */
  async function runErrand(errand: Errand): Promise<ErrandOutcome> {
    await errand.begin();
    await errand.reporter.saveArtifact(PICTURE);
    await errand.reporter.step(stepReport());
    if (!errand.task.prompt.startsWith("Stay")) return VERIFIED;
    const reason = await untilStopped(errand);
    const wrote: string[] = [];
    for (const [what, write] of Object.entries({
      step: () => errand.reporter.step(stepReport()),
      picture: () => errand.reporter.saveArtifact(PICTURE),
    })) {
      await write().then(
        () => wrote.push(what),
        (error: unknown) => expect(error).toBeInstanceOf(StopReason),
      );
    }
    stopped.set(errand.task.prompt, { reason, wrote });
    return VERIFIED;
  }

  async function newApplication(name: string): Promise<string> {
    return (await owner.post("/applications", { name, type: "public" })).body.application.id;
  }

  /** The ids of an ended and of a running execution. */
  async function makeBusy(connection: TestConnection): Promise<{ ended: string; running: string; prompt: string }> {
    const api = createApi(service.url, connection);
    const ended = (await api.created({ prompt: "Look." })).id;
    expect((await api.get(ended, "?wait=20")).body.execution.status).toBe("COMPLETED");
    const prompt = `Stay at ${connection.connectionId}.`;
    const running = (await api.created({ prompt })).id;
    await expect
      .poll(async () => (await api.events(running)).body.events.map(({ type }) => type), { timeout: 100_000 })
      .toContain("step");
    return { ended, running, prompt };
  }

  async function queue({ connectionId }: TestConnection, count: number): Promise<void> {
    await service.database.query(
      `with made as (
         insert into executions (connection_id, prompt, credits, last_event_id)
         select $1, 'Wait.', 1, 1 from generate_series(1, $3::int) returning id, credits
       ), entry as (
         insert into credit_entries (owner_id, execution_id, kind, credits) select $2, id, 'reserve', credits from made
       ), event as (
         insert into execution_events (execution_id, id, type, data) select id, 1, 'execution.queued', '{}' from made
       ), connection as (
         update connections set queued_since = now() where id = $1
       )
       update owners set balance = balance - $3::int where id = $2`,
      [connectionId, ownerId, count],
    );
  }

  function watch(connection: TestConnection | undefined, executionId = ""): Promise<Response> {
    return fetch(`${service.url}/v1/applications/${connection?.applicationId}/executions/${executionId}/events`, {
      headers: { authorization: `Bearer ${connection?.token}`, accept: "text/event-stream" },
    });
  }

  async function listFiles(): Promise<string[]> {
    const entries = await readdir(join(service.dataDir, "artifacts"), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  }

  const countOf = async (table: string, condition: string, value: string) =>
    (await service.database.query(`select 1 from ${table} where ${condition} = $1`, [value])).length;

  /** The ledger outlives executions: each deleted one was settled exactly once. */
  async function expectAllSettled(): Promise<void> {
    const open = await service.database.query(
      `select execution_id from credit_entries
       where execution_id is not null and execution_id not in (select id from executions)
       group by execution_id
       having count(*) filter (where kind = 'reserve') <> 1 or count(*) <> 2`,
    );
    expect(open).toEqual([]);
  }

  it(`ends a connection's run and ${QUEUED} queued executions while more are being created`, async () => {
    const applicationId = await newApplication("Busy");
    const [connection, neighbour] = [
      await service.connect({ applicationId }),
      await service.connect({ applicationId }),
    ];
    const { prompt, ended } = await makeBusy(connection);
    const untouched = await makeBusy(neighbour);
    await queue(connection, QUEUED);

    const api = createApi(service.url, connection);
    const statuses: number[] = [];
    let isDeleted = false;
    const creating = (async () => {
      while (!isDeleted) statuses.push((await api.create({ prompt: "Wait." })).status);
    })();
    const deletion = await owner.call("DELETE", `/connections/${connection.connectionId}`);
    isDeleted = true;
    await creating;

    expect(deletion.status).toBe(204);
    expect(statuses.filter((status) => ![201, 401, 409].includes(status))).toEqual([]);
    expect((await api.get(ended)).status).toBe(401);
    expect(await countOf("connections", "id", connection.connectionId)).toBe(0);
    expect(await countOf("executions", "connection_id", connection.connectionId)).toBe(0);
    await expect.poll(() => stopped.get(prompt), { timeout: 100_000 }).toEqual({ reason: "lease_lost", wrote: [] });
    const kept = await createApi(service.url, neighbour).artifacts(untouched.running);
    expect(kept.body.artifacts).toHaveLength(1);
    await expect.poll(listFiles, { timeout: 100_000 }).toHaveLength(2);
    for (const path of await listFiles()) expect(path).toMatch(new RegExp(`${untouched.ended}|${untouched.running}`));
    await createApi(service.url, neighbour).cancel(untouched.running);
  });

  it("ends everything of an application, and nothing of another", async () => {
    const [doomed, other] = [await newApplication("Doomed"), await newApplication("Other")];
    const connections = [
      await service.connect({ applicationId: doomed }),
      await service.connect({ applicationId: doomed }),
    ];
    const bystander = await service.connect({ applicationId: other });
    const busy = [];
    for (const connection of connections) {
      busy.push(await makeBusy(connection));
      await queue(connection, 30);
    }
    const ended = await createApi(service.url, bystander).created({ prompt: "Look." });
    expect((await createApi(service.url, bystander).get(ended.id, "?wait=20")).body.execution.status).toBe("COMPLETED");

    const watched = await watch(connections[0], busy[0]?.running);

    expect((await owner.call("DELETE", `/applications/${doomed}`, { name: "Doomed" })).status).toBe(204);

    // The stream ends, with the terminal event or without it.
    expect(await watched.text().catch(() => "broken off")).toMatch(/execution\.failed|broken off/);

    for (const [index, connection] of connections.entries()) {
      expect((await createApi(service.url, connection).list()).status).toBe(401);
      expect(await countOf("executions", "connection_id", connection.connectionId)).toBe(0);
      const { prompt } = busy[index] ?? { prompt: "" };
      await expect.poll(() => stopped.get(prompt), { timeout: 100_000 }).toEqual({ reason: "lease_lost", wrote: [] });
    }
    expect(await countOf("connections", "application_id", doomed)).toBe(0);
    const files = await listFiles();
    for (const { ended: id, running } of busy) {
      expect(files.filter((path) => path.includes(id) || path.includes(running))).toEqual([]);
    }
    const kept = (await createApi(service.url, bystander).artifacts(ended.id)).body.artifacts;
    expect(kept).toHaveLength(1);
    expect((await createApi(service.url, bystander).artifact(ended.id, kept[0]?.id ?? "")).body).toEqual(PICTURE.data);
  });

  it("happens once when it is requested several times at once", async () => {
    const applicationId = await newApplication("Twice");
    const connection = await service.connect({ applicationId });
    await queue(connection, 1_500);
    const paths = [`/connections/${connection.connectionId}`, `/connections/${connection.connectionId}`];
    const answers = await Promise.all([
      ...paths.map((path) => owner.call("DELETE", path)),
      owner.call("DELETE", `/applications/${applicationId}`, { name: "Twice" }),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status !== 204 && status !== 404)).toEqual([]);
    expect(answers.at(-1)?.status).toBe(204);
    expect(await countOf("executions", "connection_id", connection.connectionId)).toBe(0);
    expect(await countOf("applications", "id", applicationId)).toBe(0);
  });

  it("includes users who connect while it is in progress", async () => {
    const applicationId = await newApplication("Popular");
    for (let people = 0; people < 5; people++) await queue(await service.connect({ applicationId }), 50);
    const connecting = Array.from({ length: 40 }, () => service.connect({ applicationId }));
    const [{ status }, outcomes] = await Promise.all([
      owner.call("DELETE", `/applications/${applicationId}`, { name: "Popular" }),
      Promise.allSettled(connecting),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toContain("fulfilled");
    expect(status).toBe(204);
    expect(await countOf("connections", "application_id", applicationId)).toBe(0);
    expect(await countOf("applications", "id", applicationId)).toBe(0);
  });
});
