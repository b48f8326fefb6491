import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { get } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { createArtifactFolder } from "../../src/storage/artifacts/folder.ts";
import { createApi } from "../_harness/api.ts";
import { bearer, formatRequest, openSocket, parseAnswer, readToEnd } from "../_harness/raw-http.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";
import { stepReport } from "../_harness/worker.ts";

const PATIENT = { headMs: 60_000, requestMs: 60_000, stalledMs: 120_000 };
const SLOW = { timeout: 100_000 };

const opened: Socket[] = [];

/** Closed before the service, which would otherwise wait for them. */
const CLIENTS: Disposable = {
  [Symbol.dispose]() {
    for (const socket of opened.splice(0)) socket.destroy();
  },
};

async function open(service: TestService, text: string | Buffer = ""): Promise<Socket> {
  const socket = await openSocket(service.url);
  socket.on("error", () => {});
  opened.push(socket);
  socket.write(text);
  return socket;
}

/** Sends the request and never reads the response. */
async function askAndIgnore(service: TestService, connection: TestConnection, path: string, accept = "*/*") {
  const target = `/v1/applications/${connection.applicationId}/executions/${path}`;
  const socket = await open(service, formatRequest({ target, headers: [bearer(connection), ["accept", accept]] }));
  return socket.pause();
}

/** The service's ends of all connections, and the clients whose connection it has closed. */
function watchConnections({ service }: TestService): { sockets: Set<Socket>; closedPorts: Set<number> } {
  const sockets = new Set<Socket>();
  const closedPorts = new Set<number>();
  service.app.server.on("connection", (socket: Socket) => {
    const { remotePort = 0 } = socket;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket) && closedPorts.add(remotePort));
  });
  return { sockets, closedPorts };
}

const MEGABYTE = 1024 * 1024;
const EVENTS = 2_000;
const EVENT_BYTES = 4_096;
const ARTIFACT_BYTES = 16 * MEGABYTE;

/** A finished execution with megabytes of events and an equally large artifact. */
async function makeLarge({ database, dataDir }: TestService, id: string): Promise<{ artifactId: string }> {
  await database.query(
    `insert into execution_events (execution_id, id, type, data)
     select $1, number, 'step', $3::jsonb from generate_series(2, $2) as number`,
    [id, EVENTS, JSON.stringify(stepReport({ why: "x".repeat(EVENT_BYTES) }))],
  );
  const data = Buffer.alloc(ARTIFACT_BYTES, 1);
  const artifactId = randomUUID();
  await createArtifactFolder(dataDir).write(id, artifactId, data);
  await database.query(
    `insert into execution_artifacts (id, execution_id, kind, name, content_type, bytes, sha256)
     values ($1, $2, 'download', 'large.bin', 'application/octet-stream', $3, $4)`,
    [artifactId, id, data.length, createHash("sha256").update(data).digest()],
  );
  return { artifactId };
}

/** Starts this many streams and downloads, and reads none of them. */
async function ignoreMuch(service: TestService, connection: TestConnection, times: number): Promise<{ id: string }> {
  const { id } = await createApi(service.url, connection).created();
  const { artifactId } = await makeLarge(service, id);
  for (let number = 0; number < times; number += 1) {
    await askAndIgnore(service, connection, `${id}/events`, "text/event-stream");
    await askAndIgnore(service, connection, `${id}/artifacts/${artifactId}`);
  }
  return { id };
}

describe("clients that request a lot and read nothing", () => {
  it("use little memory and do not affect others", async () => {
    await using service = await startTestService({ timeouts: PATIENT });
    using _clients = CLIENTS;
    const connection = await service.connect();
    const { sockets } = watchConnections(service);
    const stalled = () => [...sockets].filter(({ writableLength }) => writableLength > 0);
    const { id } = await ignoreMuch(service, connection, 10);
    // The rest is in network buffers, or has not been read from its source yet.
    await expect.poll(() => stalled().length, SLOW).toBe(20);
    for (const { writableLength } of stalled()) expect(writableLength).toBeLessThan(MEGABYTE);

    const api = createApi(service.url, await service.connect());
    const { id: other } = await api.created();
    expect((await api.get(other, "?wait=1")).status).toBe(200);
    const { body } = await createApi(service.url, connection).events(id, "?after=1&limit=100");
    expect(body.events).toHaveLength(100);
    for (const { writableLength } of stalled()) expect(writableLength).toBeLessThan(MEGABYTE);
  });

  it("are disconnected after a while, and can resume where they were", async () => {
    const settings = { ERRAND_MAX_OPEN_PER_TOKEN: "2" };
    await using service = await startTestService({ settings, timeouts: { ...PATIENT, stalledMs: 1_000 } });
    using _clients = CLIENTS;
    const connection = await service.connect();
    const { closedPorts } = watchConnections(service);
    const { id } = await ignoreMuch(service, connection, 2);
    const ports = opened.map(({ localPort }) => localPort);
    await expect.poll(() => ports.filter((port) => !closedPorts.has(port ?? 0)), SLOW).toEqual([]);
    const target = `/v1/applications/${connection.applicationId}/executions/${id}/events`;
    const headers: [string, string][] = [bearer(connection), ["accept", "text/event-stream"]];
    const again = await open(
      service,
      formatRequest({ target, headers: [...headers, ["last-event-id", String(EVENTS - 1)]] }),
    );
    expect(await readUntil(again, "step")).toContain(`id: ${EVENTS}\n`);
  });
});

describe("clients in one network", () => {
  const settings = { ERRAND_MAX_CONNECTIONS: "400" };

  /** Asks from another address of this machine. */
  function askFrom(localAddress: string, { url }: TestService): Promise<number | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    get(`${url}/healthz`, { localAddress, agent: false }, (response) => resolve(response.resume().statusCode)).once(
      "error",
      reject,
    );
    return promise;
  }

  it("cannot take all connections with requests that they don't finish", async () => {
    await using service = await startTestService({ settings, timeouts: PATIENT });
    using _clients = CLIENTS;
    const { sockets } = watchConnections(service);
    for (let count = 0; count < 450; count += 1) await open(service, "GET /healthz HTTP/1.1\r\nhost: x\r\nx-slow: ");
    await expect.poll(() => sockets.size, SLOW).toBe(20);
    expect(await askFrom("127.0.0.1", service)).toBe(200);
    expect(await askFrom("127.0.0.2", service)).toBe(200);
  });

  it("cannot take all connections by keeping them open", async () => {
    await using service = await startTestService({ settings, timeouts: PATIENT });
    using _clients = CLIENTS;
    const { sockets } = watchConnections(service);
    const ask = formatRequest({ target: "/healthz" });
    for (let count = 0; count < 450; count += 1) {
      const socket = await open(service, ask);
      await Promise.race([once(socket, "data"), once(socket, "close")]);
    }
    await expect.poll(() => sockets.size, SLOW).toBe(200);
    expect(await askFrom("127.0.0.2", service)).toBe(200);
  });

  it("are not limited together when they come through a trusted proxy", async () => {
    await using service = await startTestService({
      settings: { ...settings, ERRAND_TRUST_PROXY: "true" },
      timeouts: PATIENT,
    });
    using _clients = CLIENTS;
    const { sockets } = watchConnections(service);
    for (let count = 0; count < 250; count += 1) await open(service, formatRequest({ target: "/healthz" }));
    await expect.poll(() => sockets.size, SLOW).toBe(250);
  });
});

describe("slow clients", () => {
  const timeouts = { ...PATIENT, headMs: 400, requestMs: 800 };

  it("are disconnected, whether they send nothing, half a head or half a body", async () => {
    await using service = await startTestService({ timeouts });
    using _clients = CLIENTS;
    const connection = await service.connect();
    const target = `/v1/applications/${connection.applicationId}/executions`;
    const body = JSON.stringify({ prompt: "x" });
    const headers: [string, string][] = [bearer(connection), ["content-type", "application/json"]];
    const whole = formatRequest({ method: "POST", target, headers, body });
    const starts = ["", "GET /healthz HTTP/1.1\r\nhost: x\r\nx-slow: ", whole.subarray(0, -5)];
    const sockets = await Promise.all(starts.map((start) => open(service, start)));
    expect((await createApi(service.url, connection).list()).body.executions).toEqual([]);
    for (const answer of await Promise.all(sockets.map(readToEnd))) {
      expect(parseAnswer(answer)).toMatchObject({ status: 408, body: expect.stringContaining("REQUEST_TIMEOUT") });
    }
    expect((await createApi(service.url, connection).list()).body.executions).toEqual([]);
  });

  it("get no more connections than the overall limit", async () => {
    await using service = await startTestService({ settings: { ERRAND_MAX_CONNECTIONS: "5" }, timeouts: PATIENT });
    using _clients = CLIENTS;
    const sockets = await Promise.all(Array.from({ length: 8 }, () => open(service)));
    let refused = 0;
    for (const socket of sockets) socket.resume().once("close", () => (refused += 1));
    await expect.poll(() => refused, SLOW).toBe(3);
    for (const socket of sockets) socket.destroy();
    await expect
      .poll(
        () =>
          fetch(`${service.url}/healthz`).then(
            ({ status }) => status,
            () => 0,
          ),
        SLOW,
      )
      .toBe(200);
  });
});

async function readUntil(socket: Socket, text: string): Promise<string> {
  let read = "";
  while (!read.includes(text)) read += String((await once(socket, "data"))[0]);
  return read;
}
