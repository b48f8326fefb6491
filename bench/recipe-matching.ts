/** What it costs to find the recipe of a prompt: `npm run bench:recipe-matching -- --help`. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fileRecipe, matchRecipe } from "../src/recipes/match-recipe.ts";
import type { RecipeBody } from "../src/recipes/recipe.ts";
import { type Database, openDatabase } from "../src/storage/database.ts";
import { joinEmbeddedServer } from "../src/storage/embedded/server.ts";
import { migrate } from "../src/storage/migrations.ts";
import { createRecipeMatchStore } from "../src/storage/sql/recipes.ts";
import { readWholeNumber, runCommand, showProgress } from "./harness/command.ts";
import { type Connected, connectUsers } from "./harness/connected.ts";
import { CpuRecording } from "./harness/cpu.ts";
import { describeMachine, formatMachine, formatTable, type Machine, quantile } from "./harness/report.ts";

interface Options {
  recipes: number;
  samples: number;
  json: boolean;
}

interface Timing {
  name: string;
  recipes: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time for one match, of this process and of PostgreSQL: on a busy machine, only this can be compared. */
  nodeMs: number;
  postgresMs: number;
}

interface Result {
  machine: Machine;
  timings: Timing[];
}

const TARGET_MS = 5;
const MAX_COUNT = 1_000_000;
const WARM_UP = 50;
const START_URL = "https://shop.example/";
const HELP = `Measures how long it takes to find the recipe of a prompt, beside the number of recipes in its application.

  npm run bench:recipe-matching -- [options]

  --recipes <n>   recipes in the application (default 10000)
  --samples <n>   prompts per row (default 500)
  --json          print one JSON object instead of a table
  --help          show this help

The target is ${TARGET_MS} ms at 10,000 recipes, on a machine that does nothing else. Everything runs in a temporary folder, which is removed at the end.
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      recipes: { type: "string", default: "10000" },
      samples: { type: "string", default: "500" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  return {
    recipes: readWholeNumber("--recipes", values.recipes, { max: MAX_COUNT }),
    samples: readWholeNumber("--samples", values.samples, { max: MAX_COUNT }),
    json: values.json,
  };
}

/** Templates of one application are alike: they share most of their words. */
function toTemplate(number: number): string {
  return `Order <quantity> of <product> for the ${toWord(number)} team and send it to ${toWord(number * 7)} street`;
}

function toPrompt(number: number): string {
  return toTemplate(number)
    .replace("<quantity>", String(1 + (number % 90)))
    .replace("<product>", "Birchbark Mug");
}

const SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu"];

/** A word for each number. */
function toWord(number: number): string {
  return [...String(number)].map((digit) => SYLLABLES[Number(digit)]).join("");
}

function toBody(template: string): RecipeBody {
  return {
    template,
    start_url: START_URL,
    output_schema: null,
    variables: { quantity: { kind: "number" }, product: { kind: "text", max_words: 4 } },
    steps: [{ fill: { target: "Search", value: "<product>" } }, { click: "Order" }],
    writes: ["POST /orders"],
  };
}

const INSERT = `
  with made as (
    insert into recipes (application_id, connection_id, match_key, identity)
    select $1, $2, key, decode(identity, 'hex') from unnest($3::bigint[], $4::text[]) as filed (key, identity)
    returning id, identity
  )
  insert into recipe_versions (recipe_id, version, body, origin)
  select made.id, 1, body::json, 'imported'
  from made join unnest($4::text[], $5::text[]) as filed (identity, body) on decode(filed.identity, 'hex') = made.identity`;

/** As the store files them: under the key that the fewest others have. */
async function saveAll(
  { pool }: Database,
  { applicationId }: Connected,
  connectionId: string | null,
  bodies: RecipeBody[],
) {
  const counts = new Map<string, number>();
  const rows = bodies.map((body) => {
    const { identity, keys } = fileRecipe(applicationId, body);
    const key = keys.toSorted((one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0))[0] ?? null;
    if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
    return { key, identity: identity.toString("hex"), body: JSON.stringify(body) };
  });
  await pool.query(INSERT, [
    applicationId,
    connectionId,
    rows.map(({ key }) => key),
    rows.map(({ identity }) => identity),
    rows.map(({ body }) => body),
  ]);
}

async function run({ recipes: count, samples }: Options, signal: AbortSignal): Promise<Result> {
  await using parts = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "errand-bench-"));
  parts.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { connectionString } = parts.use(await joinEmbeddedServer(dataDir, () => {}));
  await migrate(connectionString);
  const database = parts.use(openDatabase({ connectionString, poolSize: 1, onError: () => {} }));
  const { rows } = await database.pool.query<{ pid: number }>("select pg_backend_pid() as pid");
  const processes = [process.pid, ...rows.map(({ pid }) => pid)];
  const timings: Timing[] = [];

  async function measure(
    name: string,
    recipes: number,
    { connectionId }: Connected,
    prompt: (round: number) => string,
  ) {
    signal.throwIfAborted();
    showProgress(name);
    const store = createRecipeMatchStore(database);
    const times: number[] = [];
    let cpu = new CpuRecording(processes);
    for (let round = -WARM_UP; round < samples; round += 1) {
      if (round === 0) cpu = new CpuRecording(processes);
      const startedMs = performance.now();
      await matchRecipe(store, connectionId, {
        prompt: prompt(round + WARM_UP),
        startUrl: START_URL,
        outputSchema: null,
      });
      if (round >= 0) times.push(performance.now() - startedMs);
    }
    const { node, postgres } = cpu.read();
    const perMatch = { nodeMs: (node * 1_000) / samples, postgresMs: (postgres * 1_000) / samples };
    timings.push({ name, recipes, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), ...perMatch });
  }

  const [without] = await connectUsers(database, 1);
  const [few, one, another, ...others] = await connectUsers(database, 203);
  if (!without || !few || !one || !another) throw new Error("No users are connected.");
  await measure("an application without recipes", 0, without, toPrompt);
  await saveAll(
    database,
    few,
    few.connectionId,
    [1, 2, 3].map((number) => toBody(toTemplate(number))),
  );
  await measure("a connection with 3", 3, few, (round) => toPrompt(round % 3));
  showProgress(`Saving ${count.toLocaleString("en")} recipes`);
  const each = Math.ceil(count / 2 / others.length);
  await saveAll(
    database,
    one,
    null,
    Array.from({ length: Math.floor(count / 2) }, (_, number) => toBody(toTemplate(number))),
  );
  for (const { connectionId } of others) {
    signal.throwIfAborted();
    await saveAll(
      database,
      one,
      connectionId,
      Array.from({ length: each }, (_, number) => toBody(toTemplate(number))),
    );
  }
  await database.pool.query("analyze recipes");
  await measure("a prompt that matches", count, one, (round) => toPrompt(round % Math.floor(count / 2)));
  await measure("a prompt that matches none", count, one, (round) => `${toPrompt(round)} and tell me its price`);
  const long = Array.from({ length: 290 }, (_, number) => toWord(number)).join(" ");
  await measure("a prompt of 300 words", count, another, (round) => `${long} ${toWord(round)}`);
  return { machine: await describeMachine(database), timings };
}

function format({ machine, timings }: Result): string {
  const rows = timings.map(({ name, recipes, p50Ms, p99Ms, nodeMs, postgresMs }) => [
    name,
    recipes.toLocaleString("en"),
    ...[p50Ms, p99Ms, nodeMs, postgresMs].map((ms) => ms.toFixed(2)),
  ]);
  const head = ["lookup", "recipes", "p50 ms", "p99 ms", "Node CPU ms", "PostgreSQL CPU ms"];
  return `${formatMachine(machine)}\n\n${formatTable(head, rows)}\n`;
}

await runCommand({
  help: HELP,
  readOptions,
  run,
  format,
  findFailures: ({ timings }) =>
    timings
      .filter(({ p50Ms }) => p50Ms > TARGET_MS)
      .map(({ name, p50Ms }) => `${name}: ${p50Ms.toFixed(1)} ms, and the target is ${TARGET_MS} ms.`),
});
