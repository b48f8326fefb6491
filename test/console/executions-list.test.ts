import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ExecutionItem } from "../../src/contract/console/executions.ts";
import { smallestUuidAt } from "../../src/lib/uuid.ts";
import { createApi } from "../_harness/api.ts";
import { type Party, registerFor, startParty } from "../_harness/console-world.ts";
import { expectNothingBroke } from "../_harness/raw-http.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

interface Seeded {
  id: string;
  connection: TestConnection;
  status: "QUEUED" | "COMPLETED" | "FAILED";
  outcome: string | null;
  prompt: string;
  createdAt: Date;
}

const PROMPTS = [
  "Buy 100% cotton",
  "Read snake_case and snakeXcase",
  "Open C:\\temp",
  "Grüße an ÄRZTE",
  "Pay the bill 🧾",
  "'; drop table executions; --",
  `${"a".repeat(299)}🧾 and the rest`,
];
const STATES = [
  ["QUEUED", null],
  ["COMPLETED", "verified"],
  ["FAILED", "unverified"],
  ["FAILED", "blocked"],
] as const;
const COUNT = 240;
const MINUTE_MS = 60_000;
const BEGINNING = Date.parse("2026-01-31T22:00:00Z");
const at = (minute: number) => new Date(BEGINNING + minute * MINUTE_MS);

describe("the console's list of executions", () => {
  let service: TestService;
  let shop: Party;
  let connections: TestConnection[];
  let seeded: Seeded[];

  beforeAll(async () => {
    service = await startTestService();
    shop = await startParty(service, "Shop", 1_000);
    const bank = await startParty(service, "Bank", 0);
    const second = await registerFor(service, shop.owner, "Second");
    connections = [
      shop.connection,
      await service.connect({ applicationId: shop.connection.applicationId }),
      await service.connect({ applicationId: second }),
      // An execution of another owner's application, visible to its user.
      await service.connect({ applicationId: bank.connection.applicationId, email: shop.owner.email }),
      // Not visible at all.
      bank.connection,
    ];
    seeded = await seed(service, connections);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** Newest first. */
  const visible = () => seeded.filter(({ connection }) => connection !== connections[4]).toReversed();

  async function list(query: Record<string, string | number>) {
    const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    const { status, body } = await shop.owner.get(`/executions?${parameters}`);
    expect(status, JSON.stringify(body)).toBe(200);
    const executions: ExecutionItem[] = body.executions;
    return { ids: executions.map(({ id }) => id), hasMore: body.has_more, executions };
  }

  it("shows the newest 50 visible executions", async () => {
    const { executions, hasMore } = await list({});
    expect(hasMore).toBe(true);
    expect(executions.map(({ id }) => id)).toEqual(
      visible()
        .slice(0, 50)
        .map(({ id }) => id),
    );
    const [newest] = visible();
    const shown = executions[0];
    expect(shown).toEqual({
      id: newest?.id,
      status: newest?.status,
      terminal: newest?.outcome === null ? null : { status: newest?.outcome, reason: "So it was." },
      is_waiting: false,
      prompt: newest?.prompt.slice(0, 300),
      application: { id: newest?.connection.applicationId, name: expect.any(String) },
      connection: { id: newest?.connection.connectionId, user_email: expect.stringContaining("@example.com") },
      credits: 1,
      charged: newest?.status === "COMPLETED",
      created_at: newest?.createdAt.toISOString(),
      completed_at: newest?.outcome === null ? null : newest?.createdAt.toISOString(),
    });
  });

  it("shows the first 300 characters of a prompt without splitting one", async () => {
    const { executions } = await list({ text: "and the rest", limit: 1 });
    expect(executions[0]?.prompt).toBe(`${"a".repeat(299)}🧾`);
  });

  it("agrees with filtering everything in the test, whatever the filters", async () => {
    const filters = someFilters(connections, visible());
    for (const filter of filters) {
      const expected = visible().filter((one) => passes(one, filter));
      const { ids, hasMore } = await list({ ...filter, limit: 200 });
      expect([filter, ids, hasMore]).toEqual([
        filter,
        expected.slice(0, 200).map(({ id }) => id),
        expected.length > 200,
      ]);
    }
    const sizes = filters.map((filter) => visible().filter((one) => passes(one, filter)).length);
    expect(sizes.filter((size) => size > 0 && size < visible().length).length).toBeGreaterThan(filters.length / 3);
  });

  it("is paged without gaps or duplicates while new ones arrive, with or without a filter", async () => {
    const api = createApi(service.url, shop.connection);
    for (const filter of [{}, { status: "FAILED" }]) {
      const before = visible()
        .filter((one) => passes(one, filter))
        .map(({ id }) => id);
      const first = await list({ ...filter, limit: 17 });
      const arrived = first.ids.filter((id) => !before.includes(id));
      const seen = first.ids.slice(arrived.length);
      for (let page = first; page.hasMore; ) {
        await api.created({ prompt: "Something new." });
        page = await list({ ...filter, limit: 17, after: page.ids.at(-1) ?? "" });
        seen.push(...page.ids);
      }
      expect(seen).toEqual(before);
    }
  });

  it("continues after an execution that no longer matches the filter", async () => {
    const [first, second] = (await list({ status: "QUEUED", limit: 2 })).ids;
    await shop.owner.post(`/executions/${first}/cancel`);
    expect((await list({ status: "QUEUED", limit: 1, after: first ?? "" })).ids).toEqual([second]);
  });

  it.each([
    ["after=x", "INVALID_CURSOR", undefined],
    ["after=01890000-0000-7000-8000-000000000000", "INVALID_CURSOR", undefined],
    ["status=DONE", "INVALID_REQUEST", "status"],
    ["limit=0", "INVALID_REQUEST", "limit"],
    ["limit=201", "INVALID_REQUEST", "limit"],
    ["since=yesterday", "INVALID_REQUEST", "since"],
    ["until=2026-02-30T00:00:00Z", "INVALID_REQUEST", "until"],
    ["since=1990-12-31T23:59:60Z", "INVALID_REQUEST", "since"],
    ["application_id=x", "INVALID_REQUEST", "application_id"],
    ["connection_id=%00", "INVALID_REQUEST", "connection_id"],
    ["text=a%00b", "INVALID_REQUEST", "text"],
    ["outcome=%00", "INVALID_REQUEST", "outcome"],
    ["text=a&text=b", "INVALID_REQUEST", "text"],
    ["colour=red", "INVALID_REQUEST", "colour"],
  ])("refuses %s", async (query, code, path) => {
    const { status, body } = await shop.owner.get(`/executions?${query}`);
    expect([status, body.error.code]).toEqual([400, code]);
    expect(body.error.details?.[0]?.path).toBe(path);
    expectNothingBroke(service);
  });

  it.each(["since=0000-01-01T00:00:00Z", "until=9999-12-31T23:59:59%2B00:00", "text=", "outcome="])(
    "leaves nothing out for %s",
    async (query) => {
      const { body } = await shop.owner.get(`/executions?limit=1&${query}`);
      expect(body.executions).toHaveLength(1);
    },
  );
});

async function seed(service: TestService, connections: TestConnection[]): Promise<Seeded[]> {
  const seeded = Array.from({ length: COUNT }, (_, index): Seeded => {
    const connection = connections[(index * 7) % connections.length] ?? expect.unreachable();
    const [status, outcome] = STATES[((index * 5) % 11) % STATES.length] ?? expect.unreachable();
    const createdAt = at(index);
    const id = smallestUuidAt(createdAt).replace("-0000-0000-", "-7000-8000-");
    return { id, connection, status, outcome, prompt: `${PROMPTS[(index * 3) % PROMPTS.length]}`, createdAt };
  });
  await service.database.query(
    `insert into executions (id, connection_id, status, terminal_status, terminal_reason, prompt, result, error_code,
       error_message, credits, charged, created_at, completed_at)
     select id::uuid, (connection->>'connectionId')::uuid, status, outcome, case when outcome is not null then 'So it was.' end,
       prompt, case when status = 'COMPLETED' then '{}'::json end, case when status = 'FAILED' then 'X' end, null, 1,
       status = 'COMPLETED', "createdAt", case when outcome is not null then "createdAt" end
     from json_to_recordset($1::json) as one
       (id text, connection json, status text, outcome text, prompt text, "createdAt" timestamptz)`,
    [JSON.stringify(seeded)],
  );
  return seeded;
}

type Filter = Partial<
  Record<"status" | "outcome" | "application_id" | "connection_id" | "text" | "since" | "until", string>
>;

/** Each value of each filter by itself, and many of them together. */
function someFilters(connections: TestConnection[], seeded: Seeded[]): Filter[] {
  const values: { [Name in keyof Filter]-?: string[] } = {
    status: ["QUEUED", "RUNNING", "COMPLETED", "FAILED"],
    outcome: ["verified", "unverified", "blocked", "canceled", "no such"],
    application_id: connections.map(({ applicationId }) => applicationId),
    connection_id: connections.map(({ connectionId }) => connectionId.toUpperCase()),
    text: [
      "%",
      "_",
      "\\",
      "100%",
      "snake_case",
      "grüsse",
      "grüße",
      "ärzte",
      "🧾",
      "'; DROP",
      "Rest",
      seeded[3]?.id ?? "",
    ],
    since: [at(0).toISOString(), at(100).toISOString(), "2026-02-01T00:30:00+01:00"],
    until: [at(0).toISOString(), at(100).toISOString(), at(COUNT).toISOString()],
  };
  const names = Object.keys(values) as (keyof Filter)[];
  const alone = names.flatMap((name) => values[name].map((value): Filter => ({ [name]: value })));
  const together = Array.from({ length: 60 }, (_, round): Filter => {
    const chosen = names.filter((_name, index) => ((round + 1) >> index) % 2 === 1);
    return Object.fromEntries(chosen.map((name) => [name, values[name][(round * 5) % values[name].length]]));
  });
  return [...alone, ...together];
}

function passes({ id, connection, status, outcome, prompt, createdAt }: Seeded, filter: Filter): boolean {
  const { text = "" } = filter;
  return (
    (filter.status ?? status) === status &&
    (filter.outcome ?? outcome) === outcome &&
    (filter.application_id ?? connection.applicationId) === connection.applicationId &&
    (filter.connection_id ?? connection.connectionId).toLowerCase() === connection.connectionId &&
    (prompt.toLowerCase().includes(text.toLowerCase()) || id === text) &&
    createdAt >= new Date(filter.since ?? createdAt) &&
    (filter.until === undefined || createdAt < new Date(filter.until))
  );
}
