/** How fast the API is, as ratios to what it is built on: `npm run bench:api -- --help`. */

import { parseArgs } from "node:util";
import { runCommand, showProgress } from "./_command.ts";
import { measureScenario, type ScenarioResult } from "./_measure.ts";
import { describeMachine, formatComparisons, formatMachine, formatMeasurements, type Machine } from "./_report.ts";
import { createScenarios } from "./_scenarios.ts";
import { seed } from "./_seed.ts";
import { setStage } from "./_stage.ts";

interface Options {
  seconds: number;
  rounds: number;
  only: string | null;
  json: boolean;
}

interface Result {
  machine: Machine;
  scenarios: ScenarioResult[];
}

const CONCURRENCY = 32;
const HELP = `Measures the API with ${CONCURRENCY} connections, next to what it is built on.

  npm run bench:api -- [options]

  --seconds <n>   how long each variant runs in a round (default 1)
  --rounds <n>    how many rounds; one more warms up (default 15)
  --only <name>   one scenario only: get, create or list
  --json          print one JSON object instead of tables
  --help          this text

Everything runs in a temporary folder and on loopback, and is removed at the end, also on Ctrl-C.
`;

function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "1" },
      rounds: { type: "string", default: "15" },
      only: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  const { only = null } = values;
  if (only !== null && !["get", "create", "list"].includes(only)) throw new Error("--only is get, create or list.");
  return {
    seconds: readNumber("--seconds", values.seconds, { min: 0.2, max: 60 }),
    rounds: Math.ceil(readNumber("--rounds", values.rounds, { min: 1, max: 100 })),
    only,
    json: values.json,
  };
}

function readNumber(name: string, text: string, { min, max }: { min: number; max: number }): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value < min || value > max) {
    throw new Error(`${name} is a number from ${min} to ${max}.`);
  }
  return value;
}

async function run({ seconds, rounds, only }: Options, signal: AbortSignal): Promise<Result> {
  await using stage = await setStage(signal, showProgress);
  const seeded = await seed(stage.database, signal, showProgress);
  const scenarios: ScenarioResult[] = [];
  for (const scenario of await createScenarios(stage, seeded)) {
    if (only !== null && only !== scenario.name) continue;
    const { generator } = stage;
    scenarios.push(
      await measureScenario(scenario, {
        generator,
        concurrency: CONCURRENCY,
        seconds,
        rounds,
        signal,
        onProgress: showProgress,
      }),
    );
  }
  const machine = await describeMachine(stage.database);
  showProgress("Cleaning up");
  return { machine, scenarios };
}

function format({ machine, scenarios }: Result, { seconds, rounds }: Options): string {
  return [
    `${formatMachine(machine)}. ${CONCURRENCY} connections, ${rounds} rounds of ${seconds} s.`,
    formatMeasurements(scenarios.flatMap(({ measurements }) => measurements)),
    formatComparisons(scenarios.flatMap(({ comparisons }) => comparisons)),
    "",
  ].join("\n\n");
}

await runCommand({ help: HELP, readOptions, run, format });
