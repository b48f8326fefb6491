import type pg from "pg";
import { createConnections } from "../../src/connections/connections.ts";
import { createExecutions, type Executions } from "../../src/executions/executions.ts";
import type { Database } from "../../src/storage/database.ts";
import type { Notifications } from "../../src/storage/notifications.ts";
import { createConnectionStore } from "../../src/storage/sql/connections.ts";
import { createExecutionStore } from "../../src/storage/sql/executions.ts";
import { createRecipeMatchStore } from "../../src/storage/sql/recipes.ts";
import type { Connected } from "../harness/connected.ts";
import type { HttpWork, Statement, StatementWork } from "../harness/job.ts";
import { FEW, findCursors, listExecutionIds, type Seed, type Stage } from "./stage.ts";

/** One measured way to do the same work. */
export interface Variant {
  name: string;
  work: HttpWork | StatementWork;
  unique: string | null;
  /** The process whose CPU time counts; null for the load generator. */
  pid: number | null;
}

export interface Comparison {
  name: string;
  of: string;
  to: string;
  /** Calls per second, or the duration of one call (the inverse, because concurrency is constant). */
  by: "rate" | "time";
  target: { atLeast: number } | { atMost: number } | null;
}

/** Variants that are compared and therefore measured alternately. */
export interface Scenario {
  name: string;
  variants: Variant[];
  comparisons: Comparison[];
}

const PAGE = 50;
const CURSORS = 32;
const BODY = { prompt: "Read the price of the first article.", start_url: "http://127.0.0.1/articles" };
const UNIQUE_KEY = "benchmark-key";
const NO_NOTIFICATIONS: Notifications = {
  send() {},
  sendLocally() {},
  subscribe: () => ({ [Symbol.dispose]() {} }),
  subscribeQueue: () => ({ [Symbol.dispose]() {} }),
  [Symbol.asyncDispose]: async () => {},
};

export async function createScenarios(stage: Stage, seed: Seed): Promise<Scenario[]> {
  return [
    await createGetScenario(stage, seed),
    await createCreateScenario(stage, seed),
    await createListScenario(stage, seed),
  ];
}

/** For many users in turn, so that the token lookup is not always for the same token. */
async function createGetScenario(stage: Stage, { many }: Seed): Promise<Scenario> {
  const requests: string[] = [];
  const bareRequests: string[] = [];
  const sequences: Statement[][] = [];
  for (const one of many) {
    for (const id of await listExecutionIds(stage.database, one)) {
      requests.push(get(one, `/${id}`));
      bareRequests.push(`GET /executions/${id} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
      sequences.push(await record(stage.database, one, (executions) => executions.get(one.connectionId, id)));
    }
  }
  return {
    name: "get",
    variants: [
      http("get: service", stage.service, 200, shuffle(requests)),
      http("get: bare Fastify route", stage.bareRoute, 200, shuffle(bareRequests)),
      statements("get: statements", stage, 1, shuffle(sequences)),
    ],
    comparisons: [
      {
        name: "get, service : bare Fastify route",
        of: "get: service",
        to: "get: bare Fastify route",
        by: "rate",
        target: { atLeast: 0.7 },
      },
      { name: "get, service : statements", of: "get: service", to: "get: statements", by: "rate", target: null },
    ],
  };
}

async function createCreateScenario(stage: Stage, { creator, many }: Seed): Promise<Scenario> {
  const variants: Variant[] = [];
  const comparisons: Comparison[] = [];
  const kinds = [
    { name: "create", from: [creator], key: null },
    { name: "create with a key", from: [creator], key: UNIQUE_KEY },
    { name: `create, ${many.length} owners`, from: many, key: null },
  ];
  for (const { name, from, key } of kinds) {
    const recorded: Statement[][] = [];
    for (const one of from) {
      recorded.push(await record(stage.database, one, (executions) => executions.create(one.connectionId, BODY, key)));
    }
    variants.push(
      http(
        `${name}: service`,
        stage.service,
        201,
        from.map((one) => post(one, key)),
        key,
      ),
      statements(`${name}: statements`, stage, 1, recorded, key),
    );
    comparisons.push({
      name: `${name}, service : statements`,
      of: `${name}: service`,
      to: `${name}: statements`,
      by: "rate",
      target: { atLeast: 0.5 },
    });
  }
  return { name: "create", variants, comparisons };
}

async function createListScenario(stage: Stage, { small, large, largeSize }: Seed): Promise<Scenario> {
  const variants: Variant[] = [];
  for (const { connected, size } of [
    { connected: small, size: FEW },
    { connected: large, size: largeSize },
  ]) {
    const cursors = await findCursors(stage.database, connected.connectionId, CURSORS);
    for (const { depth, afters } of [
      { depth: "first page", afters: [null] },
      { depth: "deep page", afters: cursors },
    ]) {
      const name = `${depth} of ${size.toLocaleString("en")}`;
      const recorded: Statement[][] = [];
      for (const after of afters) {
        recorded.push(
          await record(stage.database, connected, (executions) =>
            executions.list(connected.connectionId, { limit: PAGE, after }),
          ),
        );
      }
      const query = (after: string | null) => `?limit=${PAGE}${after === null ? "" : `&after=${after}`}`;
      variants.push(
        http(
          `${name}: service`,
          stage.service,
          200,
          afters.map((after) => get(connected, query(after))),
        ),
        statements(`${name}: statements`, stage, PAGE + 1, recorded),
      );
    }
  }
  const few = FEW.toLocaleString("en");
  const many = largeSize.toLocaleString("en");
  const comparisons = ["first page", "deep page"].flatMap((depth): Comparison[] => [
    {
      name: `${depth}, ${many} : ${few}`,
      of: `${depth} of ${many}: service`,
      to: `${depth} of ${few}: service`,
      by: "time",
      target: { atMost: 1.2 },
    },
    {
      name: `${depth} of ${many}, service : statements`,
      of: `${depth} of ${many}: service`,
      to: `${depth} of ${many}: statements`,
      by: "rate",
      target: null,
    },
  ]);
  return { name: "list", variants, comparisons };
}

/** Records what a request sends to the database: the authentication and then the operation itself. */
function record(
  database: Database,
  { token }: Connected,
  work: (executions: Executions) => Promise<unknown>,
): Promise<Statement[]> {
  return recordStatements(database, async (recording) => {
    await createConnections({ store: createConnectionStore(recording) }).authenticate(token);
    await work(
      createExecutions({
        store: createExecutionStore(recording, NO_NOTIFICATIONS),
        updates: NO_NOTIFICATIONS,
        recipes: createRecipeMatchStore(recording),
        price: 1,
        maxQueued: 0,
        findOutputSchemaProblem: async () => null,
      }),
    );
  });
}

function http(
  name: string,
  { port, pid }: Stage["service"],
  status: number,
  choices: string[],
  unique: string | null = null,
): Variant {
  return { name, work: { kind: "http", port, choices, status }, unique, pid };
}

function statements(
  name: string,
  { connectionString, poolSize }: Stage,
  rows: number,
  choices: Statement[][],
  unique: string | null = null,
): Variant {
  return { name, work: { kind: "statements", connectionString, poolSize, choices, rows }, unique, pid: null };
}

function get({ applicationId, token }: Connected, rest: string): string {
  return [
    `GET /v1/applications/${applicationId}/executions${rest} HTTP/1.1`,
    "host: 127.0.0.1",
    `authorization: Bearer ${token}`,
    "\r\n",
  ].join("\r\n");
}

function post({ applicationId, token }: Connected, key: string | null): string {
  const body = JSON.stringify(BODY);
  return [
    `POST /v1/applications/${applicationId}/executions HTTP/1.1`,
    "host: 127.0.0.1",
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
    ...(key === null ? [] : [`idempotency-key: ${key}`]),
    `\r\n${body}`,
  ].join("\r\n");
}

/**
 * Runs storage code of the service once and records the statements that it sends. The comparison is therefore always with
 * what the service really does.
 */
async function recordStatements(
  database: Database,
  work: (recording: Database) => Promise<unknown>,
): Promise<Statement[]> {
  const statements: Statement[] = [];
  const query = (statement: Statement) => {
    statements.push(statement);
    return database.pool.query(statement);
  };
  // The stores only call `query`, always with one object.
  await work({ ...database, pool: { query } as unknown as pg.Pool });
  return statements;
}

/** Deterministic, so that all variants send the same calls in the same order. */
function shuffle<Item>(items: Item[]): Item[] {
  const STEP = 97;
  return items.map((_, index) => items[(index * STEP) % items.length]).filter((item) => item !== undefined);
}
