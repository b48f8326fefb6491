import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi } from "../../_harness/api.ts";
import {
  bearer,
  ENDPOINTS,
  expectNothingBroke,
  expectRefusal,
  formatRequest,
  JSON_TYPE,
  openSocket,
  parseAnswer,
  type RawAnswer,
  readToEnd,
  requestTo,
  sendRaw,
  takeStock,
} from "../../_harness/raw-http.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";

const MIB = 1024 * 1024;
const BODY = '{"prompt":"x"}';

describe("oversized or malformed requests", () => {
  let service: TestService;
  let connection: TestConnection;
  let executionId: string;
  let target: string;
  let before: Record<string, unknown>;

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
    ({ id: executionId } = await createApi(service.url, connection).created());
    target = `/v1/applications/${connection.applicationId}/executions`;
    before = await takeStock(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** Valid JSON, padded with spaces to this length. */
  const padded = (bytes: number) => Buffer.concat([Buffer.from(BODY), Buffer.alloc(bytes - BODY.length, " ")]);
  const post = (body: Buffer | string, headers: [string, string][] = [bearer(connection)]) =>
    sendRaw(service.url, { method: "POST", target, headers: [JSON_TYPE, ...headers], body });

  async function sendBytes(...pieces: (string | Buffer)[]): Promise<RawAnswer> {
    const socket = await openSocket(service.url);
    for (const piece of pieces) socket.write(typeof piece === "string" ? Buffer.from(piece, "latin1") : piece);
    return parseAnswer(await readToEnd(socket));
  }

  it.each([
    ["one byte more than 1 MiB", MIB + 1],
    ["10 MiB", 10 * MIB],
  ])("a body of %s returns 413 before the connection is closed", async (_name, bytes) => {
    const answer = await post(padded(bytes));
    expectRefusal(answer, { status: 413, code: "PAYLOAD_TOO_LARGE" });
    expect(answer.headers.get("connection")).toBe("close");
  });

  it("a body of 10 MiB returns 413 to an ordinary client, whose next request is answered", async () => {
    const api = createApi(service.url, connection);
    const answer = await api.create(padded(10 * MIB).toString());
    expect(answer).toMatchObject({ status: 413, body: { error: { code: "PAYLOAD_TOO_LARGE" } } });
    expect((await api.get(executionId)).status).toBe(200);
  });

  const CLIENTS: [name: string, command: string, script: string][] = [
    [
      "Node's http",
      process.execPath,
      `const { request } = require("node:http");
       const sent = request(process.argv[1], { method: "POST", headers: JSON.parse(process.argv[2]) }, (response) => {
         response.resume().on("end", () => console.log(response.statusCode));
       });
       sent.on("error", (error) => console.log(error.code));
       sent.end(Buffer.alloc(Number(process.argv[3]), " "));`,
    ],
    [
      "Node's fetch",
      process.execPath,
      `const [, url, headers, bytes] = process.argv;
       fetch(url, { method: "POST", headers: JSON.parse(headers), body: Buffer.alloc(Number(bytes), " ") })
         .then((response) => console.log(response.status), (error) => console.log(error.cause?.code));`,
    ],
    [
      "Python",
      "python3",
      `import json, sys, urllib.request, urllib.error
request = urllib.request.Request(sys.argv[1], b" " * int(sys.argv[3]), json.loads(sys.argv[2]))
try: print(urllib.request.urlopen(request).status)
except urllib.error.HTTPError as error: print(error.code)
except Exception as error: print(error)`,
    ],
  ];
  const isInstalled = (command: string) => spawnSync(command, ["--version"]).status === 0;

  describe.each(CLIENTS)("%s", (_name, command, script) => {
    it.skipIf(!isInstalled(command)).each([
      ["413 for a body of 10 MiB", 413, 10 * MIB, true],
      ["401 for a body of 10 MiB without a token", 401, 10 * MIB, false],
      ["401 for a body of 20 MiB without a token", 401, 20 * MIB, false],
    ])("reads %s", async (_what, status, bytes, hasToken) => {
      const headers = { "content-type": "application/json", ...(hasToken && Object.fromEntries([bearer(connection)])) };
      const given = [service.url + target, JSON.stringify(headers), String(bytes)];
      const flag = command === "python3" ? "-c" : "-e";
      const { stdout } = await promisify(execFile)(command, [flag, script, ...given]);
      expect(stdout.trim()).toBe(String(status));
    });
  });

  it("a body that never ends is read up to a limit", async () => {
    const socket = await openSocket(service.url);
    socket.on("error", () => {});
    socket.write(
      formatRequest({ method: "POST", target, headers: [JSON_TYPE, ["content-length", String(1024 * MIB)]] }),
    );
    const answer = readToEnd(socket);
    const piece = Buffer.alloc(MIB);
    let sent = 0;
    while (!socket.destroyed && sent < 512) {
      const isTaken = socket.write(piece);
      if (!isTaken) await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
      sent += 1;
    }
    expect(parseAnswer(await answer).status).toBe(401);
    expect(sent).toBeLessThan(512);
  });

  it("a body without a length returns 413 once it exceeds 1 MiB", async () => {
    const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
    const headers: [string, string][] = [bearer(connection), ["transfer-encoding", "chunked"]];
    expectRefusal(await post(chunk.repeat(40), headers), { status: 413, code: "PAYLOAD_TOO_LARGE" });
  });

  it("a body with a large content-length is refused before it is sent", async () => {
    const headers: [string, string][] = [bearer(connection), ["content-length", String(10 * MIB)]];
    expectRefusal(await post("{", headers), { status: 413, code: "PAYLOAD_TOO_LARGE" });
  });

  it("10 MiB without a token return 401, unread", async () => {
    const answer = await post(padded(10 * MIB), []);
    expectRefusal(answer, { status: 401, code: "UNAUTHENTICATED", challenge: 'Bearer realm="errand"' });
  });

  it("a body that is shorter than its length creates nothing", async () => {
    const socket = await openSocket(service.url);
    socket.write(
      formatRequest({
        method: "POST",
        target,
        headers: [bearer(connection), JSON_TYPE, ["content-length", "100"]],
        body: BODY,
      }),
    );
    socket.end();
    await readToEnd(socket);
    expect(await takeStock(service)).toEqual(before);
  });

  it.each(ENDPOINTS)("headers of 32 KiB return 431 at $name", async (endpoint) => {
    const request = requestTo(endpoint, { applicationId: connection.applicationId, executionId }, [
      bearer(connection),
      ["x-large", "a".repeat(32 * 1024)],
    ]);
    const answer = await sendRaw(service.url, { ...request, body: "" });
    expectRefusal(answer, { status: 431, code: "HEADERS_TOO_LARGE" });
    expect(answer.headers.get("connection")).toBe("close");
  });

  it("a URL of 32 KiB returns 431", async () => {
    const answer = await sendRaw(service.url, { target: `${target}?after=${"a".repeat(32 * 1024)}` });
    expectRefusal(answer, { status: 431, code: "HEADERS_TOO_LARGE" });
  });

  it("3,000 headers return 431", async () => {
    const headers = Array.from({ length: 3_000 }, (_, number): [string, string] => [`h${number}`, ""]);
    const answer = await sendRaw(service.url, { target, headers: [bearer(connection), ...headers] });
    expectRefusal(answer, { status: 431, code: "HEADERS_TOO_LARGE" });
  });

  it.each([
    ["a text that is not HTTP", () => "hello\r\n\r\n"],
    ["TLS", () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["an unknown HTTP version", () => `GET ${target} HTTP/9.9\r\nhost: a\r\n\r\n`],
    ["HTTP/2 without negotiation", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["an unknown method", () => `FETCH ${target} HTTP/1.1\r\nhost: a\r\n\r\n`],
    ["a header without a colon", () => `GET ${target} HTTP/1.1\r\nhost: a\r\nno colon\r\n\r\n`],
    ["a header with NUL", () => `GET ${target} HTTP/1.1\r\nhost: a\r\nx: a\0b\r\n\r\n`],
    ["a header name with a space", () => `GET ${target} HTTP/1.1\r\nhost: a\r\nx y: a\r\n\r\n`],
    ["a space in the path", () => `GET ${target} x HTTP/1.1\r\nhost: a\r\n\r\n`],
    ["a raw byte in the path", () => `GET ${target}/\xff HTTP/1.1\r\nhost: a\r\n\r\n`],
    ["a path without a slash", () => "GET v1 HTTP/1.1\r\nhost: a\r\n\r\n"],
    ["a length that is not a number", () => `POST ${target} HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n`],
    ["a negative length", () => `POST ${target} HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n`],
    [
      "two lengths (smuggling)",
      () => `POST ${target} HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}`,
    ],
    [
      "a length and chunks (smuggling)",
      () => `POST ${target} HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["a line break in a header (smuggling)", () => `GET ${target} HTTP/1.1\r\nhost: a\r\nx: a\rb: c\r\n\r\n`],
  ])("%s returns 400 in our error format, and the connection is closed", async (_name, bytes) => {
    const answer = await sendBytes(bytes());
    expectRefusal(answer, { status: 400, code: "INVALID_REQUEST" });
    expect(answer.headers.get("connection")).toBe("close");
  });

  it("truncated chunks get our error format or no response at all", async () => {
    const head = formatRequest({
      method: "POST",
      target,
      headers: [bearer(connection), JSON_TYPE, ["transfer-encoding", "chunked"]],
    });
    const answer = await sendBytes(head, "e\r\n", BODY, "\r\nnonsense\r\n\r\n");
    expectRefusal(answer, { status: 400, code: "INVALID_REQUEST" });
  });

  it("a refused request does not affect the next one on its connection", async () => {
    const socket = await openSocket(service.url);
    const create = { method: "POST", target, headers: [bearer(connection), JSON_TYPE], body: '{"prompt":1}' };
    socket.write(formatRequest(create));
    socket.write(formatRequest({ target: `${target}?limit=0`, headers: [bearer(connection)] }));
    socket.write(formatRequest({ target: "/healthz" }, [["connection", "close"]]));
    const answers = (await readToEnd(socket)).toString("latin1").match(/HTTP\/1\.1 \d{3}/g);
    expect(answers).toEqual(["HTTP/1.1 400", "HTTP/1.1 400", "HTTP/1.1 200"]);
  });

  it("none of it leaves a trace", async () => {
    expect(await takeStock(service)).toEqual(before);
    expectNothingBroke(service);
  });
});
