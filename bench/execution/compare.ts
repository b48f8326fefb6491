import { setTimeout as sleep } from "node:timers/promises";
import { CPU_KINDS, CpuRecording, type CpuUse, sumCpu } from "../harness/cpu.ts";
import { median } from "../harness/report.ts";
import { type BareRun, type BareScript, KETTLES } from "./bare-script.ts";
import type { Peer } from "./peer.ts";
import { type ExecutionRun, type ExecutionStage, type Phases, runExecution } from "./service.ts";

/** Executions compared with the bare script, in medians. */
export interface Comparison {
  rounds: number;
  ms: { execution: number; warm: number; launched: number };
  /** Seconds until the result, by kind of process. */
  cpu: { execution: CpuUse; warm: CpuUse; launched: CpuUse };
  /** Seconds after the result, in which browsers are closed and the next ones are started. */
  cpuAfterwards: number;
  timeRatios: { warm: Ratio; launched: Ratio };
  cpuRatios: { warm: Ratio; launched: Ratio };
  phasesMs: Phases;
  peers: PeerComparison[];
}

/** Another tool compared with the bare script in a running browser, in medians. */
interface PeerComparison {
  name: string;
  ms: number;
  cpu: number;
  timeRatio: Ratio;
  cpuRatio: Ratio;
  /** In how many rounds its total was the script's. */
  right: number;
}

export interface Ratio {
  /** Median, lowest and highest of the ratios within a round. */
  ratio: number;
  lowest: number;
  highest: number;
}

/** One run of each kind, shortly after each other. */
interface Round {
  execution: ExecutionRun & { cpu: CpuUse; cpuAfterwards: number };
  warm: BareRun;
  launched: BareRun;
  peers: BareRun[];
}

export const PAUSE_MS = 1_000;
/** In the meantime the service starts its next warm browsers, three seconds after it took the last. */
export const WARM_UP_MS = 5_000;

/** V8 optimizes code that has run often, so the first runs of a process take up to twice as much CPU as later ones. */
export const WARM_UP_ROUNDS = "5";

interface CompareOptions {
  rounds: number;
  warmUps: number;
  peers?: readonly Peer[];
  signal: AbortSignal;
  onRound(number: number): void;
}

/** All alternate, every other round in reverse order, so that other load on the machine affects all alike. */
export async function compare(
  stage: ExecutionStage,
  bare: BareScript,
  { rounds, warmUps, peers = [], signal, onRound }: CompareOptions,
): Promise<Comparison> {
  const done: Round[] = [];
  for (let number = 1 - warmUps; number <= rounds; number += 1) {
    onRound(number);
    const round: Partial<Round> & Pick<Round, "peers"> = { peers: [] };
    const measures = [
      async () => Object.assign(round, { execution: await measureExecution(stage, signal) }),
      async () => Object.assign(round, { warm: await bare.runWarm() }),
      async () => Object.assign(round, { launched: await bare.runLaunched() }),
      // Each round starts them anew, so there is nothing to warm up.
      ...(number > 0 ? peers : []).map((peer, at) => async () => {
        round.peers[at] = await peer.run(stage.shopUrl, KETTLES);
      }),
    ];
    for (const measure of number % 2 === 0 ? measures : measures.reverse()) {
      await measure();
      await sleep(PAUSE_MS, undefined, { signal });
    }
    const { execution, warm, launched } = round as Round;
    if (new Set([execution.total, warm.total, launched.total]).size !== 1 || execution.total === "") {
      throw new Error(`The totals differ: ${execution.total}, ${warm.total} and ${launched.total}.`);
    }
    if (number > 0) done.push({ execution, warm, launched, peers: round.peers });
  }
  return { ...summarize(done), peers: peers.map(({ name }, at) => summarizePeer(name, at, done)) };
}

async function measureExecution(stage: ExecutionStage, signal: AbortSignal): Promise<Round["execution"]> {
  const { pid, databasePid, shopUrl, connections } = stage;
  const [connection] = connections;
  if (connection === undefined) throw new Error("No user is connected.");
  using recording = new CpuRecording([pid, databasePid], { isSampled: true });
  const run = await runExecution(connection, shopUrl, signal);
  const cpu = recording.read();
  await sleep(WARM_UP_MS, undefined, { signal });
  return { ...run, cpu, cpuAfterwards: sumCpu(recording.read()) - sumCpu(cpu) };
}

function summarizePeer(name: string, at: number, rounds: Round[]): PeerComparison {
  const pairs = rounds.flatMap(({ peers, warm }) => (peers[at] === undefined ? [] : [{ run: peers[at], warm }]));
  return {
    name,
    ms: median(pairs.map(({ run }) => run.ms)),
    cpu: median(pairs.map(({ run }) => sumCpu(run.cpu))),
    timeRatio: toRatio(pairs.map(({ run, warm }) => run.ms / warm.ms)),
    cpuRatio: toRatio(pairs.map(({ run, warm }) => sumCpu(run.cpu) / sumCpu(warm.cpu))),
    right: pairs.filter(({ run, warm }) => run.total === warm.total).length,
  };
}

function summarize(rounds: Round[]): Omit<Comparison, "peers"> {
  const medianOf = (read: (round: Round) => number) => median(rounds.map(read));
  const cpuOf = (name: Exclude<keyof Round, "peers">) =>
    Object.fromEntries(CPU_KINDS.map((kind) => [kind, medianOf((round) => round[name].cpu[kind])])) as CpuUse;
  const phase = (name: keyof Phases) => medianOf(({ execution }) => execution.phases[name]);
  const ratiosOf = (read: (run: BareRun) => number) => ({
    warm: toRatio(rounds.map(({ execution, warm }) => read(execution) / read(warm))),
    launched: toRatio(rounds.map(({ execution, launched }) => read(execution) / read(launched))),
  });
  return {
    rounds: rounds.length,
    ms: {
      execution: medianOf(({ execution }) => execution.ms),
      warm: medianOf(({ warm }) => warm.ms),
      launched: medianOf(({ launched }) => launched.ms),
    },
    cpu: { execution: cpuOf("execution"), warm: cpuOf("warm"), launched: cpuOf("launched") },
    cpuAfterwards: medianOf(({ execution }) => execution.cpuAfterwards),
    timeRatios: ratiosOf(({ ms }) => ms),
    cpuRatios: ratiosOf(({ cpu }) => sumCpu(cpu)),
    phasesMs: {
      requests: phase("requests"),
      queue: phase("queue"),
      opening: phase("opening"),
      steps: phase("steps"),
      verification: phase("verification"),
      ending: phase("ending"),
    },
  };
}

function toRatio(ratios: number[]): Ratio {
  return { ratio: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) };
}
