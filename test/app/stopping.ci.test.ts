import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/storage/database.ts";
import { createTestDatabase, type TestDatabase } from "../_harness/database.ts";
import { createDataDir, errandJson, type RunningErrand, startErrand } from "../_harness/errand.ts";
import { readerOf, readToEnd, readUntil } from "../_harness/event-stream.ts";

describe("stopping the service", () => {
  let data: Awaited<ReturnType<typeof createDataDir>>;
  let database: TestDatabase;
  let env: Record<string, string>;
  let applicationId: string;
  let token: string;

  beforeAll(async () => {
    data = await createDataDir();
    database = await createTestDatabase();
    env = { ...data.env, DATABASE_URL: database.url };
    ({ id: applicationId } = await errandJson<{ id: string }>(
      ["app", "create", "--name", "A", "--type", "public"],
      env,
    ));
    ({ access_token: token } = await errandJson<{ access_token: string }>(
      ["connect", "--application", applicationId, "--user", "a@example.com"],
      env,
    ));
  });
  afterAll(async () => {
    await data[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it("closes all database connections", async () => {
    const own = openDatabase({ connectionString: database.url, poolSize: 2, onError: () => {} });
    await own.pool.query("select 1");
    expect(own.pool.totalCount).toBe(1);
    await own[Symbol.asyncDispose]();
    expect(own.pool.totalCount).toBe(0);
  });

  /** A create whose body is incomplete until `finish` is called. */
  async function beginCreate(service: RunningErrand): Promise<{ finish(): Promise<string> }> {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    const body = JSON.stringify({ prompt: "Slow but sure." });
    socket.write(
      `POST /v1/applications/${applicationId}/executions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    let received = "";
    const { promise: accepted, resolve } = Promise.withResolvers<void>();
    socket.on("data", (chunk) => {
      received += chunk;
      if (received.includes("100 Continue")) resolve();
    });
    await accepted;
    return {
      finish() {
        const closed = new Promise<string>((resolveClosed) => socket.on("close", () => resolveClosed(received)));
        socket.write(body);
        return closed;
      },
    };
  }

  it("finishes open requests, accepts no new ones, and exits with 0", async () => {
    const service = await startErrand(env);
    const slow = await beginCreate(service);
    const ended = service.end("SIGTERM");
    await expect
      .poll(
        () =>
          fetch(`${service.url}/healthz`).then(
            () => "answered",
            () => "refused",
          ),
        { timeout: 100_000 },
      )
      .toBe("refused");
    const answer = await slow.finish();
    expect(answer).toContain("HTTP/1.1 201 Created");
    expect(answer.toLowerCase()).toContain("connection: close");
    expect(await ended).toBe(0);
    expect(service.stderr()).toContain("Stopping; finishing open requests");
  });

  it("does not wait forever for a client that never finishes", async () => {
    const service = await startErrand({ ...env, ERRAND_SHUTDOWN_SECONDS: "1" });
    await beginCreate(service);
    expect(await service.end("SIGTERM")).toBe(0);
    expect(service.stderr()).toContain("did not finish in time");
  });

  it("waits neither for event streams nor for connections without a request", async () => {
    const service = await startErrand({ ...env, ERRAND_SHUTDOWN_SECONDS: "600" });
    const silent = connect(Number(new URL(service.url).port), "127.0.0.1");
    await new Promise((resolve) => silent.once("connect", resolve));
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const base = `${service.url}/v1/applications/${applicationId}/executions`;
    const created = await fetch(base, { method: "POST", headers, body: '{"prompt":"Follow me."}' });
    const { execution } = (await created.json()) as { execution: { id: string } };
    const events = await fetch(`${base}/${execution.id}/events`, {
      headers: { ...headers, accept: "text/event-stream" },
    });
    const reader = readerOf(events);
    await readUntil(reader, "execution.queued");
    const ended = service.end("SIGTERM");
    await readToEnd(reader);
    expect(await ended).toBe(0);
    expect(service.stderr()).not.toContain("did not finish in time");
  });

  it("ends waiting reads at once, with the current state", async () => {
    const service = await startErrand(env);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const base = `${service.url}/v1/applications/${applicationId}/executions`;
    const created = await fetch(base, { method: "POST", headers, body: '{"prompt":"Wait for me."}' });
    const { execution } = (await created.json()) as { execution: { id: string } };
    const waiting = fetch(`${base}/${execution.id}?wait=30`, { headers });
    // Handled after the waiting read has arrived, because one service takes requests in order.
    await fetch(`${base}/${execution.id}`, { headers });
    const ended = service.end("SIGINT");
    expect((await waiting).status).toBe(200);
    expect(await ended).toBe(0);
  });
});
