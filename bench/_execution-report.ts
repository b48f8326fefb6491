import { arch, cpus, platform, totalmem } from "node:os";
import type { BareRun } from "./_execution-bare.ts";
import type { Peak } from "./_execution-memory.ts";
import type { Profile } from "./_execution-profile.ts";
import type { ExecutionRun, Phases } from "./_execution-run.ts";
import { formatTable } from "./_report.ts";

const AIM = 1.5;

/** One of each, shortly after each other. */
export interface Round {
  execution: ExecutionRun;
  warm: BareRun;
  launched: BareRun;
}

interface Ratio {
  /** The median over the rounds of the ratio within a round, and the extremes. */
  ratio: number;
  lowest: number;
  highest: number;
  isMet: boolean;
}

interface PartOfRun {
  part: string;
  ms: number;
  calls: number;
}

export interface ExecutionResult {
  machine: string;
  rounds: number;
  medianMs: { execution: number; warm: number; launched: number };
  ratios: { warm: Ratio; launched: Ratio };
  phasesMs: Phases;
  /** Null when none was asked for. */
  profile: { runs: number; ms: number; parts: PartOfRun[] } | null;
  /** Null where it cannot be told. */
  memory: { together: number; execution: Peak; bare: Peak; ratio: number } | null;
}

interface Measured {
  rounds: Round[];
  profiles: Profile[];
  peaks: { execution: Peak; bare: Peak } | null;
  together: number;
}

export function summarize({ rounds, profiles, peaks, together }: Measured): ExecutionResult {
  const phases = rounds.map(({ execution }) => execution.phases);
  const phase = (name: keyof Phases) => median(phases.map((each) => each[name]));
  return {
    machine: describeMachine(),
    rounds: rounds.length,
    medianMs: {
      execution: median(rounds.map(({ execution }) => execution.ms)),
      warm: median(rounds.map(({ warm }) => warm.ms)),
      launched: median(rounds.map(({ launched }) => launched.ms)),
    },
    ratios: {
      warm: toRatio(rounds.map(({ execution, warm }) => execution.ms / warm.ms)),
      launched: toRatio(rounds.map(({ execution, launched }) => execution.ms / launched.ms)),
    },
    phasesMs: {
      requests: phase("requests"),
      queue: phase("queue"),
      opening: phase("opening"),
      steps: phase("steps"),
      verification: phase("verification"),
      ending: phase("ending"),
    },
    profile: profiles.length === 0 ? null : summarizeProfiles(profiles),
    memory: peaks === null ? null : { together, ...peaks, ratio: peaks.execution.megabytes / peaks.bare.megabytes },
  };
}

function describeMachine(): string {
  const memoryGb = Math.round(totalmem() / 1024 ** 3);
  const [cpu] = cpus();
  return `${platform()} ${arch()}, ${cpus().length} cores (${cpu?.model ?? "unknown"}), ${memoryGb} GB; Node ${process.versions.node}`;
}

function toRatio(ratios: number[]): Ratio {
  const ratio = median(ratios);
  return { ratio, lowest: Math.min(...ratios), highest: Math.max(...ratios), isMet: ratio <= AIM };
}

function summarizeProfiles(profiles: Profile[]): NonNullable<ExecutionResult["profile"]> {
  const names = [...new Set(profiles.flatMap(({ spent }) => spent.map(({ part }) => part)))];
  const parts = names.map((name): PartOfRun => {
    const each = profiles.map(({ spent }) => spent.find(({ part }) => part === name));
    return {
      part: name,
      ms: median(each.map((one) => one?.ms ?? 0)),
      calls: median(each.map((one) => one?.calls ?? 0)),
    };
  });
  parts.push({ part: "everything else", ms: median(profiles.map(({ restMs }) => restMs)), calls: 1 });
  const sorted = parts.sort((one, other) => other.ms - one.ms);
  return { runs: profiles.length, ms: median(profiles.map(({ ms }) => ms)), parts: sorted };
}

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function formatResult(result: ExecutionResult): string {
  const { machine, rounds, profile, memory } = result;
  return [
    `${machine}. ${rounds} rounds.`,
    formatTimes(result),
    formatPhases(result.phasesMs),
    ...(profile === null ? [] : [formatProfile(profile)]),
    ...(memory === null ? [] : [formatMemory(memory)]),
    "",
  ].join("\n\n");
}

function formatTimes({ medianMs, ratios }: ExecutionResult): string {
  const row = (name: string, ms: number, ratio: Ratio | null, aim: string) => [
    name,
    ms.toFixed(0),
    ratio?.ratio.toFixed(2) ?? "",
    ratio === null ? "" : `${ratio.lowest.toFixed(2)}–${ratio.highest.toFixed(2)}`,
    aim,
    aim === "" ? "" : ratio?.isMet ? "yes" : "NO",
  ];
  return formatTable(
    ["eight steps, until the answer is there", "median ms", "execution ÷ this", "rounds", "aim", "met"],
    [
      row("execution, over HTTP, with evidence and verification", medianMs.execution, null, ""),
      row("bare script, in a browser that runs already", medianMs.warm, ratios.warm, `≤ ${AIM}`),
      row("bare script, with starting the browser", medianMs.launched, ratios.launched, ""),
    ],
  );
}

function formatPhases(phases: Phases): string {
  const names: Record<keyof Phases, string> = {
    requests: "the client's two requests",
    queue: "waiting for a worker",
    opening: "opening a browser and the first page",
    steps: "the other steps",
    verification: "verification, with a second look",
    ending: "closing the browser and writing the end",
  };
  const rows = Object.entries(names).map(([name, text]) => [text, phases[name as keyof Phases].toFixed(0)]);
  return formatTable(["an execution, by its events", "median ms"], rows);
}

function formatProfile({ runs, ms, parts }: NonNullable<ExecutionResult["profile"]>): string {
  return formatTable(
    [`an execution taken apart (${runs} runs, ${ms.toFixed(0)} ms)`, "median ms", "calls", "ms per call"],
    parts.map(({ part, ms, calls }) => [part, ms.toFixed(0), String(calls), (ms / Math.max(1, calls)).toFixed(1)]),
  );
}

function formatMemory({ together, execution, bare, ratio }: NonNullable<ExecutionResult["memory"]>): string {
  const row = (name: string, { megabytes, browsers }: Peak, times: string) => [
    name,
    megabytes.toFixed(0),
    String(browsers),
    (megabytes / together).toFixed(0),
    times,
  ];
  return formatTable(
    [`browsers' memory, ${together} at the same time`, "peak MB (PSS)", "browsers", "MB for one", "ratio"],
    [
      row("executions, browsers kept ready included", execution, ratio.toFixed(2)),
      row("bare scripts, each in its own browser", bare, ""),
    ],
  );
}
