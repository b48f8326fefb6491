import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApi, expectContract } from "../../_harness/api.ts";
import {
  bearer,
  ENDPOINTS,
  type Endpoint,
  expectNothingBroke,
  expectRefusal,
  JSON_TYPE,
  type RawAnswer,
  type Refusal,
  requestTo,
  sendRaw,
  takeStock,
} from "../../_harness/raw-http.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";

const STREAM: [string, string] = ["accept", "text/event-stream"];
const BROKEN_PATH: Refusal = { status: 400, code: "INVALID_REQUEST" };
const NOT_FOUND: Refusal = { status: 404, code: "NOT_FOUND" };
const MISMATCH: Refusal = { status: 403, code: "APPLICATION_MISMATCH" };
const NO_EXECUTION: Refusal = { status: 404, code: "EXECUTION_NOT_FOUND" };
const ON_ONE = ENDPOINTS.filter(({ template }) => template.includes("{executionId}"));

describe("a request that an execution endpoint refuses", () => {
  let service: TestService;
  let connection: TestConnection;
  let other: TestConnection;
  let executionId: string;
  let foreignId: string;
  let before: Record<string, unknown>;

  beforeAll(async () => {
    service = await startTestService();
    connection = await service.connect();
    other = await service.connect();
    ({ id: executionId } = await createApi(service.url, connection).created());
    ({ id: foreignId } = await createApi(service.url, other).created());
    before = await takeStock(service);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  function endpoint(name: Endpoint["name"]): Endpoint {
    const found = ENDPOINTS.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`no endpoint ${name}`);
    return found;
  }

  interface Spoiled {
    applicationId?: string;
    executionId?: string;
    /** What follows the path: a query, or more path. */
    behind?: string;
    headers?: [string, string][];
    method?: string;
    body?: string;
  }

  async function send(to: Endpoint, { behind = "", headers = [], method, body, ...ids }: Spoiled): Promise<RawAnswer> {
    const request = requestTo(to, { applicationId: connection.applicationId, executionId, ...ids }, [
      bearer(connection),
      ...headers,
    ]);
    return sendRaw(service.url, {
      ...request,
      target: request.target + behind,
      method: method ?? to.method,
      ...(body === undefined ? {} : { body }),
    });
  }

  async function expectDocumented(to: Endpoint, spoiled: Spoiled, refusal: Refusal): Promise<void> {
    const answer = await send(to, spoiled);
    expectRefusal(answer, refusal);
    expectContract(to.template, to.method, answer.status, JSON.parse(answer.body));
  }

  it.each([
    ...["0", "51", "-1", "-0", "1.5", "1.0", "abc", "1e1", "0x10", "+5", "%2B5", "%205", "5%20", "05", "", "٣", "5%00"],
    ...["NaN", "Infinity", "null", "true", "9007199254740993", "99999999999999999999", "5,6", "5;after=x"],
  ])("because limit=%s is not an integer from 1 to 50", async (limit) => {
    const behind = `?limit=${limit === "٣" ? encodeURIComponent(limit) : limit}`;
    await expectDocumented(endpoint("list"), { behind }, invalid("limit"));
  });

  it.each<[Endpoint["name"], string, string]>([
    ["list", "limit", "limit"],
    ["list", "limit=5&limit=5", "limit"],
    ["list", "limit[]=5", "limit[]"],
    ["list", "Limit=5", "Limit"],
    ["list", "page=2", "page"],
    ["list", "before=x", "before"],
    ["list", "__proto__=1", "__proto__"],
    ["list", "constructor=1", "constructor"],
    ["list", "state=QUEUED&limit=5", "state"],
    ["get", "wait=31", "wait"],
    ["get", "wait=-1", "wait"],
    ["get", "wait=abc", "wait"],
    ["get", "wait=", "wait"],
    ["get", "wait=1.5", "wait"],
    ["get", "wait=1e1", "wait"],
    ["get", "wait=0&wait=0", "wait"],
    ["get", "timeout=5", "timeout"],
    ["events", "after=-1", "after"],
    ["events", "after=abc", "after"],
    ["events", "after=", "after"],
    ["events", "after=1.5", "after"],
    ["events", "after=2147483648", "after"],
    ["events", "after=0&after=0", "after"],
    ["events", "limit=0", "limit"],
    ["events", "limit=501", "limit"],
    ["events", "limit=abc", "limit"],
    ["events", "wait=5", "wait"],
  ])("%s because of ?%s", async (name, query, path) => {
    await expectDocumented(endpoint(name), { behind: `?${query}` }, invalid(path));
  });

  it("because after is given twice", async () => {
    const behind = `?after=${executionId}&after=${executionId}`;
    await expectDocumented(endpoint("list"), { behind }, invalid("after"));
  });

  it.each([
    ["unknown", () => randomUUID()],
    ["another connection's", () => foreignId],
    ["another connection's in uppercase", () => foreignId.toUpperCase()],
    ["empty", () => ""],
    ["not a UUID", () => "newest"],
    ["a UUID with an extra character", () => `${executionId}0`],
    ["a UUID without hyphens", () => executionId.replaceAll("-", "")],
    ["a UUID in braces", () => `{${executionId}}`],
    ["a UUID with a line break", () => `${executionId}%0A`],
    ["a UUID with NUL", () => `${executionId}%00`],
    ["badly encoded", () => "%ZZ"],
    ["SQL", () => "'%20or%201=1--"],
    ["10,000 characters long", () => "a".repeat(10_000)],
  ])("because the cursor is %s", async (_name, cursor) => {
    const refusal = { status: 400, code: "INVALID_CURSOR" };
    await expectDocumented(endpoint("list"), { behind: `?after=${cursor()}` }, refusal);
    await expectDocumented(endpoint("list"), { behind: `?limit=5&after=${cursor()}` }, refusal);
  });

  it.each(["abc", "-1", "1.5", "0x1", "9999999999", ""])("because Last-Event-ID is %j", async (id) => {
    const headers: [string, string][] = [STREAM, ["Last-Event-ID", id]];
    await expectDocumented(endpoint("events"), { headers }, invalid("Last-Event-ID"));
  });

  it("because Last-Event-ID is given twice", async () => {
    const headers: [string, string][] = [STREAM, ["Last-Event-ID", "0"], ["Last-Event-ID", "0"]];
    await expectDocumented(endpoint("events"), { headers }, invalid("Last-Event-ID"));
  });

  describe.each(ENDPOINTS)("$name", (to) => {
    it.each([
      ["another application", () => other.applicationId],
      ["an unknown application", () => randomUUID()],
      ["a string that is not a UUID", () => "mine"],
      ["a UUID with an extra character", () => `${connection.applicationId}0`],
      ["NUL", () => "%00"],
      ["an encoded slash", () => "..%2F.."],
      ["nothing", () => ""],
      ["10,000 characters", () => "a".repeat(10_000)],
    ])("for %s in the path returns 403", async (_name, applicationId) => {
      await expectDocumented(to, { applicationId: applicationId() }, MISMATCH);
    });

    it.each(["%ZZ", "%", "%f", "%ff", "%c0%af", "%ed%a0%80"])(
      "for a path with %s returns 400",
      async (applicationId) => {
        expectRefusal(await send(to, { applicationId }), BROKEN_PATH);
      },
    );
  });

  describe.each(ON_ONE)("$name", (to) => {
    it.each([
      ["an unknown execution", () => randomUUID()],
      ["another connection's execution", () => foreignId],
      ["a string that is not a UUID", () => "newest"],
      ["a UUID with an extra character", () => `${executionId}0`],
      ["a UUID without hyphens", () => executionId.replaceAll("-", "")],
      ["NUL", () => "%00"],
      ["a UUID with NUL", () => `${executionId}%00`],
      ["an encoded slash", () => `${executionId}%2F`],
      ["SQL", () => "'%20or%201=1--"],
      ["emoji", () => encodeURIComponent("🛒")],
      ["10,000 characters", () => "a".repeat(10_000)],
    ])("for %s returns 404", async (_name, id) => {
      await expectDocumented(to, { executionId: id() }, NO_EXECUTION);
    });

    it.each(["%ZZ", "%", "%ff"])("for an execution called %s returns 400", async (id) => {
      expectRefusal(await send(to, { executionId: id }), BROKEN_PATH);
    });
  });

  it("for the event stream of an unknown execution returns 404 as JSON", async () => {
    await expectDocumented(endpoint("events"), { executionId: randomUUID(), headers: [STREAM] }, NO_EXECUTION);
  });

  it.each<[Endpoint["name"], string[]]>([
    ["list", ["GET", "HEAD", "OPTIONS", "POST"]],
    ["get", ["GET", "HEAD", "OPTIONS"]],
    ["cancel", ["OPTIONS", "POST"]],
    ["events", ["GET", "HEAD", "OPTIONS"]],
  ])("with another method at the path of %s returns 405 and lists the allowed methods", async (name, allow) => {
    for (const method of ["PUT", "PATCH", "DELETE", "TRACE", "GET", "POST"].filter((each) => !allow.includes(each))) {
      expectRefusal(await send(endpoint(name), { method }), { status: 405, code: "METHOD_NOT_ALLOWED", allow });
    }
  });

  it.each([
    ["JSON", [JSON_TYPE], '{"prompt":"x"}'],
    ["broken JSON", [JSON_TYPE], "{"],
    ["XML", [["content-type", "text/xml"]], "<prompt/>"],
  ] satisfies [string, [string, string][], string][])(
    "with another method returns 405 even with %s in the body",
    async (_name, headers, body) => {
      const answer = await send(endpoint("get"), { method: "PUT", headers, body });
      expectRefusal(answer, { status: 405, code: "METHOD_NOT_ALLOWED", allow: ["GET", "HEAD", "OPTIONS"] });
    },
  );

  it.each([
    ["a slash after an execution", "get", "/"],
    ["a slash after cancel", "cancel", "/"],
    ["a slash after events", "events", "/"],
    ["two slashes after the list", "list", "//"],
    ["something after an execution", "get", "/steps"],
    ["a very long path after an execution", "get", `/${"a".repeat(10_000)}`],
  ] as const)("because there is nothing at %s", async (_name, to, behind) => {
    expectRefusal(await send(endpoint(to), { behind }), NOT_FOUND);
  });

  it("because its path only resembles one of ours", async () => {
    const right = `/v1/applications/${connection.applicationId}/executions`;
    const wrong = [
      "/v1",
      "/v1/applications",
      `/v1/applications/${connection.applicationId}`,
      `/v2${right.slice(3)}`,
      right.toUpperCase(),
      `/${right}`,
      `/v1/x/..${right.slice(3)}`,
      `/api${right}`,
      `/${"a".repeat(12_000)}`,
      "/.env",
    ];
    for (const target of wrong) {
      expectRefusal(await sendRaw(service.url, { target, headers: [bearer(connection)] }), NOT_FOUND);
    }
  });

  it.each([
    ["truncated JSON", [JSON_TYPE], "{", { status: 400, code: "INVALID_REQUEST" }],
    ["plain text", [["content-type", "text/plain"]], "x", { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" }],
    ["more than 1 MiB", [JSON_TYPE], " ".repeat(1024 * 1024 + 1), { status: 413, code: "PAYLOAD_TOO_LARGE" }],
  ] satisfies [string, [string, string][], string, Refusal][])(
    "as a cancel with %s in the body",
    async (_name, headers, body, refusal) => {
      await expectDocumented(endpoint("cancel"), { headers, body }, refusal);
    },
  );

  it("leaves no trace", async () => {
    expect(await takeStock(service)).toEqual(before);
    expectNothingBroke(service);
  });
});

function invalid(path: string): Refusal {
  return { status: 400, code: "INVALID_REQUEST", details: [path] };
}
