/** The fault suite: `npm run test:faults [-- options]`. docs/faults.md says what it breaks and what must hold. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { RoundReport } from "../test/faults/_round.ts";
import type { Stage } from "../test/faults/_stage.ts";

// As in bin/errand: the hundreds of processes that follow reuse what the first one compiled. They inherit this variable.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "../node_modules/.cache/errand");

const { openStage } = await import("../test/faults/_stage.ts");
const { findLeftFiles } = await import("../test/faults/_files.ts");
const { createInvariants } = await import("../test/faults/_invariants.ts");
const { playRound } = await import("../test/faults/_round.ts");
const { createChance, seedOfRound } = await import("../test/faults/_seed.ts");
const { FAULTS } = await import("../test/faults/faults.ts");

const HELP = `Breaks real processes of Errand at chosen moments, then checks everything that Errand promises.

  npm run test:faults -- [options]

  --rounds <count>   how many rounds (default: 200)
  --seed <number>    the seed of the first round; the same seed makes the same choices (default: random)
  --only <fault>     only one fault, or one of its phases: kill-worker, or "kill-worker: finishing"
  --minutes <count>  start no new round after this time (default: 60)
  --history          print the history of every round, not only of failed ones
  --help

Faults and their phases:
${FAULTS.map(({ name, phases }) => `  ${name}: ${phases.join(", ")}`).join("\n")}
`;

interface Options {
  rounds: number;
  seed: number;
  only: string | null;
  minutes: number;
  history: boolean;
}

interface Tally {
  rounds: number;
  failures: number;
  ms: number;
}

const LEASE_SECONDS = 3;
const WORKERS = 2;
const LOG_END_CHARACTERS = 3_000;

function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "200" },
      seed: { type: "string" },
      only: { type: "string" },
      minutes: { type: "string", default: "60" },
      history: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : readNumber("--seed", values.seed, 0);
  return {
    rounds: readNumber("--rounds", values.rounds, 1),
    seed,
    only: values.only ?? null,
    minutes: readNumber("--minutes", values.minutes, 1),
    history: values.history,
  };
}

function readNumber(name: string, text: string, min: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < min) {
    throw new Error(`${name} must be a whole number from ${min}, not "${text}".`);
  }
  return number;
}

interface Choice {
  fault: (typeof FAULTS)[number];
  phase: string;
  label: string;
}

function listChoices(only: string | null): Choice[] {
  const all = FAULTS.flatMap((fault) =>
    fault.phases.map((phase) => ({ fault, phase, label: `${fault.name}: ${phase}` })),
  );
  const chosen = all.filter(({ fault, label }) => only === null || fault.name === only || label === only);
  if (chosen.length === 0) throw new Error(`There is no fault "${only}". --help lists them.`);
  return chosen;
}

/** Draws all choices in random order, then all again, so that each comes up about equally often. */
function createDeck(choices: Choice[]): (seed: number) => Choice {
  let left: Choice[] = [];
  return (seed) => {
    if (left.length === 0) left = createChance(seed).shuffle(choices);
    const choice = left.pop();
    if (choice === undefined) throw new Error("There is nothing to choose from.");
    return choice;
  };
}

async function main({ rounds, seed, only, minutes, history }: Options): Promise<boolean> {
  const draw = createDeck(listChoices(only));
  print(`seed ${seed}`);
  const startedMs = performance.now();
  await using stage = await openStage({ leaseSeconds: LEASE_SECONDS, workerCount: WORKERS });
  const invariants = createInvariants(stage);
  print(`ready, ${seconds(performance.now() - startedMs)} s`);
  const tallies = new Map<string, Tally>();
  const stopping = untilSignal();
  let played = 0;
  while (played < rounds && !stopping.aborted && performance.now() - startedMs < minutes * 60_000) {
    const roundSeed = played === 0 ? seed : seedOfRound(seed, played);
    const { fault, phase, label } = draw(roundSeed);
    const report = await playRound({ stage, invariants, fault, phase, seed: roundSeed });
    played += 1;
    note(tallies, label, report);
    print(`${played}/${rounds} ${label}, ${report.inFlight} in flight, ${seconds(report.ms)} s`);
    if (history) printHistory(report);
    if (report.violations.length > 0) printFailure(report, stage, `--rounds 1 --seed ${roundSeed} --only "${label}"`);
  }
  printTable(tallies);
  const left = await findLeftFiles(stage);
  for (const line of left) print(line);
  const failures = [...tallies.values()].reduce((sum, tally) => sum + tally.failures, 0);
  print(`seed ${seed}: ${played} rounds, ${failures} failed, ${seconds(performance.now() - startedMs)} s`);
  return failures === 0 && left.length === 0 && played > 0;
}

/** The first signal lets the current round finish and cleans up. A second one ends the process at once. */
function untilSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      print(`${signal}: stopping after this round`);
      stopping.abort();
    });
  }
  return stopping.signal;
}

function printHistory({ history }: RoundReport): void {
  for (const line of history) print(`  ${line}`);
}

function printFailure(report: RoundReport, { api, workers }: Stage, again: string): void {
  for (const violation of report.violations) print(`FAILED: ${violation}`);
  printHistory(report);
  for (const member of [api, ...workers]) {
    print(`\nend of the log of ${member.role} ${member.pid()}:\n${member.log().slice(-LOG_END_CHARACTERS)}`);
  }
  print(`\nto repeat it: npm run test:faults -- ${again}\n`);
}

function note(tallies: Map<string, Tally>, label: string, { violations, ms }: RoundReport): void {
  const tally = tallies.get(label) ?? { rounds: 0, failures: 0, ms: 0 };
  tally.rounds += 1;
  tally.failures += violations.length > 0 ? 1 : 0;
  tally.ms += ms;
  tallies.set(label, tally);
}

function printTable(tallies: Map<string, Tally>): void {
  const width = Math.max(...[...tallies.keys()].map((label) => label.length));
  print(`\n${"fault: phase".padEnd(width)}  rounds  failed  seconds each`);
  for (const [label, { rounds, failures, ms }] of [...tallies].sort()) {
    const cells = [String(rounds).padStart(6), String(failures).padStart(6), seconds(ms / rounds).padStart(12)];
    print(`${label.padEnd(width)}  ${cells.join("  ")}`);
  }
  print("");
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

const options = readOptions();
if (options === null) print(HELP);
else process.exitCode = (await main(options)) ? 0 : 1;
