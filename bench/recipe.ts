/** What a replay costs beside the first run and a bare Playwright script: `npm run bench:recipe -- --help`. */
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startModelServer } from "../test/_harness/model-server.ts";
import { type BareRun, type CartOrder, openBareScript, VOUCHER } from "./execution/bare-script.ts";
import { PAUSE_MS, WARM_UP_MS, WARM_UP_ROUNDS } from "./execution/compare.ts";
import { OrderScript } from "./execution/order-script.ts";
import { type ExecutionRun, type ExecutionStage, openExecutionStage, runExecution } from "./execution/service.ts";
import { openStagehandReplays, type StagehandReplays } from "./execution/stagehand-replays.ts";
import { readWholeNumber, runCommand, showProgress } from "./harness/command.ts";
import { CpuRecording, sumCpu } from "./harness/cpu.ts";
import { describeMachine, formatMachine, formatTable, type Machine, median } from "./harness/report.ts";

interface Options {
  rounds: number;
  warmUps: number;
  /** Where Stagehand is installed. Null: it is not measured. */
  stagehand: string | null;
  json: boolean;
}

interface Cost {
  ms: number;
  cpu: number;
  requests: number;
  tokens: number;
}

interface Result {
  machine: Machine;
  rounds: number;
  /** With a model that replies at once. The recipe is learned from it. */
  first: Cost;
  /** Medians. */
  replay: Cost;
  bare: Pick<Cost, "ms" | "cpu">;
  /** Of each replay and the script that ran next to it, with the same values. */
  ratios: Ratios;
  /** Null if it was not measured. */
  stagehand: StagehandResult | null;
}

interface Ratios {
  time: number[];
  cpu: number[];
}

interface StagehandResult {
  name: string;
  first: Cost;
  /** Medians. */
  replay: Cost;
  ratios: Ratios;
  /** Replays after which the shop had the right total, and those whose answer was the right total. */
  right: { orders: number; answers: number };
}

/** At most this many times what the bare script in a running browser takes. */
const TARGET = 1.6;
const MAX_ROUNDS = 200;
const HELP = `Runs an errand of eight steps on the demo shop once with a model that replies at once, then with the recipe that was
learned from it and other values, each time beside a bare Playwright script with fixed locators.

  npm run bench:recipe -- [options]

  --rounds <n>          replays, each with other values (default 10)
  --warm-ups <n>        replays before them that do not count (default ${WARM_UP_ROUNDS})
  --stagehand <folder>  also Stagehand's replays from its cache folder, with the same values; it is installed there
  --json                print one JSON object instead of tables
  --help                show this help

The service is the real one, with evidence and verification. The command fails if an execution is not verified, if a replay
asks a model, or if a total differs from the script's. CPU time is read from /proc (Linux only) for all processes of each side.

Stagehand's agent records its first run and repeats it with other values as variables. It verifies nothing, so a wrong order or
answer does not end the benchmark: the table counts the right ones. To install it outside of this project:

  npm install --prefix <folder> @browserbasehq/stagehand@3.7.3

Everything runs in temporary folders and on loopback, and is removed at the end, even on Ctrl-C.
`;

const FIRST: CartOrder = { search: "kettle", product: "Brindle Kettle", quantity: "2" };
const PRODUCTS = ["Ossery Mug", "Corvin Skillet", "Fennick Saucepan", "Pellam Board"];

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "10" },
      "warm-ups": { type: "string", default: WARM_UP_ROUNDS },
      stagehand: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  return {
    rounds: readWholeNumber("--rounds", values.rounds, { max: MAX_ROUNDS }),
    warmUps: readWholeNumber("--warm-ups", values["warm-ups"], { min: 0, max: MAX_ROUNDS }),
    stagehand: values.stagehand === undefined ? null : resolve(values.stagehand),
    json: values.json,
  };
}

async function run({ rounds, warmUps, stagehand }: Options, signal: AbortSignal): Promise<Result> {
  const script = new OrderScript({ isBatched: true });
  let requests = 0;
  await using server = await startModelServer((request) => {
    requests += 1;
    return { calls: [script.reply(request)] };
  });
  await using stage = await openExecutionStage(signal, showProgress, server.url, { ERRAND_RECIPES: "on" });
  await using bare = await openBareScript(stage.shopUrl, [stage.pid, stage.shopPid]);
  await using peer = stagehand === null ? null : await openStagehandReplays(stagehand, stage.shopUrl, FIRST);
  const measure = async (order: CartOrder) => {
    const before = requests;
    const { cost, total, outcomes } = await measureExecution(stage, order, signal);
    return { cost: { ...cost, requests: requests - before }, total, outcomes };
  };
  showProgress("The first run, with a model");
  const first = await measure(FIRST);
  if (!first.outcomes.includes("learned")) throw new Error(`No recipe was learned: ${first.outcomes.join(", ")}.`);
  const replays: Cost[] = [];
  const scripts: BareRun[] = [];
  const repeats: StagehandRun[] = [];
  if (peer !== null) showProgress("The first run of Stagehand, with a model");
  const firstOfPeer = await peer?.run(FIRST);
  for (let number = 1 - warmUps; number <= rounds; number += 1) {
    showProgress(number <= 0 ? "Warming up" : `Replay ${number} of ${rounds}`);
    const order = orderOf(number + warmUps);
    const replay = await measure(order);
    await sleep(PAUSE_MS, undefined, { signal });
    const plain = await bare.runWarm(order);
    checkReplay(replay, plain);
    await sleep(PAUSE_MS, undefined, { signal });
    const repeat = await peer?.run(order);
    if (number <= 0) continue;
    replays.push(replay.cost);
    scripts.push(plain);
    if (repeat !== undefined) repeats.push({ ...repeat, script: plain });
  }
  return {
    machine: await describeMachine(null),
    rounds,
    first: first.cost,
    replay: {
      ms: median(replays.map(({ ms }) => ms)),
      cpu: median(replays.map(({ cpu }) => cpu)),
      requests: 0,
      tokens: median(replays.map(({ tokens }) => tokens)),
    },
    bare: { ms: median(scripts.map(({ ms }) => ms)), cpu: median(scripts.map(cpuOf)) },
    ratios: {
      time: replays.map(({ ms }, at) => ms / (scripts[at]?.ms ?? Number.NaN)),
      cpu: replays.map(({ cpu }, at) => cpu / (scripts[at] === undefined ? Number.NaN : cpuOf(scripts[at]))),
    },
    stagehand:
      peer === null || firstOfPeer === undefined ? null : summarizeStagehand(peer.name, firstOfPeer.cost, repeats),
  };
}

function checkReplay(
  { cost, total, outcomes }: { cost: Cost; total: string; outcomes: string[] },
  plain: BareRun,
): void {
  if (total !== plain.total) throw new Error(`The totals differ: ${total} and ${plain.total}.`);
  if (cost.requests > 0 || !outcomes.includes("replayed"))
    throw new Error(`It was not a replay: ${outcomes.join(", ")}, ${cost.requests} requests to the model.`);
}

type StagehandRun = Awaited<ReturnType<StagehandReplays["run"]>> & { script: BareRun };

function summarizeStagehand(name: string, first: Cost, runs: StagehandRun[]): StagehandResult {
  return {
    name,
    first,
    replay: {
      ms: median(runs.map(({ cost }) => cost.ms)),
      cpu: median(runs.map(({ cost }) => cost.cpu)),
      requests: median(runs.map(({ cost }) => cost.requests)),
      tokens: median(runs.map(({ cost }) => cost.tokens)),
    },
    ratios: {
      time: runs.map(({ cost, script }) => cost.ms / script.ms),
      cpu: runs.map(({ cost, script }) => cost.cpu / cpuOf(script)),
    },
    right: {
      orders: runs.filter(({ total, script }) => total === script.total).length,
      answers: runs.filter(({ answer, script }) => answer === script.total).length,
    },
  };
}

function cpuOf({ cpu }: BareRun): number {
  return sumCpu(cpu);
}

function orderOf(number: number): CartOrder {
  const product = PRODUCTS[number % PRODUCTS.length] ?? FIRST.product;
  return { search: product, product, quantity: String(1 + (number % 4)) };
}

async function measureExecution(
  { pid, databasePid, shopUrl, connections: [connection] }: ExecutionStage,
  { product, quantity }: CartOrder,
  signal: AbortSignal,
) {
  if (connection === undefined) throw new Error("No user is connected.");
  const prompt = `Put ${quantity} of the ${product} into my cart, apply the voucher ${VOUCHER} and tell me the total.`;
  using recording = new CpuRecording([pid, databasePid], { isSampled: true });
  const execution = await runExecution(connection, shopUrl, signal, undefined, prompt);
  const cost = { ms: execution.ms, cpu: sumCpu(recording.read()), tokens: countTokens(execution) };
  const outcomes = execution.events
    .filter(({ type }) => type === "recipe")
    .map(({ data }) => String(data["outcome"]) + (data["reason"] === undefined ? "" : ` (${String(data["reason"])})`));
  await sleep(WARM_UP_MS, undefined, { signal });
  return { cost, total: execution.total, outcomes };
}

function countTokens({ events }: ExecutionRun): number {
  const spent = events.findLast(({ type }) => type === "verification")?.data["total_cost"];
  const { input_tokens: input = 0, output_tokens: output = 0 } = (spent ?? {}) as Record<string, number>;
  return input + output;
}

function format({ machine, rounds, first, replay, bare, ratios, stagehand }: Result): string {
  const row = (name: string, { ms, cpu, requests, tokens }: Cost) => [
    name,
    ms.toFixed(0),
    cpu.toFixed(2),
    String(requests),
    String(tokens),
  ];
  const range = (values: number[]) =>
    `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;
  const isMet = median(ratios.time) <= TARGET ? "yes" : "NO";
  return [
    `${formatMachine(machine)}. ${rounds} replays, each with other values, all verified and right.`,
    formatTable(
      ["eight steps", "ms", "CPU s", "requests to the model", "tokens"],
      [
        row("first run, with a model that replies at once", first),
        row("replay", replay),
        ["bare script, in a running browser", bare.ms.toFixed(0), bare.cpu.toFixed(2), "", ""],
        ...(stagehand === null
          ? []
          : [
              row(`${stagehand.name}: first run, with a model that replies at once`, stagehand.first),
              row(`${stagehand.name}: replay from its cache`, stagehand.replay),
            ]),
      ],
    ),
    formatTable(
      ["replay ÷ bare script", "ratio", "target", "met"],
      [
        ["time", range(ratios.time), `≤ ${TARGET}`, isMet],
        ["CPU", range(ratios.cpu), "", ""],
      ],
    ),
    ...(stagehand === null ? [] : [formatStagehand(stagehand, { rounds, ratios, range })]),
    "",
  ].join("\n\n");
}

function formatStagehand(
  { name, ratios: own, right }: StagehandResult,
  { rounds, ratios, range }: { rounds: number; ratios: Ratios; range(values: number[]): string },
): string {
  const all = `${rounds} of ${rounds}`;
  return formatTable(
    ["replays with other values", "time ÷ bare script", "CPU ÷ bare script", "order right", "answer right", "verified"],
    [
      ["replay of a recipe", range(ratios.time), range(ratios.cpu), all, all, "in a fresh context"],
      [
        `${name}, from its cache`,
        range(own.time),
        range(own.cpu),
        `${right.orders} of ${rounds}`,
        `${right.answers} of ${rounds}`,
        "nothing",
      ],
    ],
  );
}

await runCommand({ help: HELP, readOptions, run, format });
