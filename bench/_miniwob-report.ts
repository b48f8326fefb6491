import { KINDS, kindOf, THE_REST } from "./_miniwob-kinds.ts";

export interface Outcome {
  readonly kind: "success" | "failure" | "refused";
  readonly utterance: string;
  readonly note: string;
}

export interface Result extends Outcome {
  readonly task: string;
  readonly seed: number;
  readonly milliseconds: number;
}

/** Success per task, per kind and in all. A refusal is no success. */
export function printOutcomes(results: readonly Result[], { json }: { json: boolean }): void {
  const kinds = [...Object.keys(KINDS), THE_REST].map((kind) => ({
    kind,
    ...count(results.filter(({ task }) => kindOf(task) === kind)),
  }));
  const named = count(results.filter(({ task }) => kindOf(task) !== THE_REST));
  const all = count(results);
  if (json) {
    console.log(JSON.stringify({ all, named, kinds, results }, null, 2));
    return;
  }
  console.log(
    "The instruction box and the score of each page are hidden; the instruction is the prompt. First raw reward > 0 counts.\n",
  );
  for (const { kind } of kinds) {
    const own = results.filter(({ task }) => kindOf(task) === kind);
    for (const [task, runs] of Map.groupBy(own, ({ task }) => task)) console.log(formatLine(`  ${task}`, count(runs)));
  }
  console.log("");
  for (const { kind, ...counted } of kinds) if (counted.runs > 0) console.log(formatLine(kind, counted));
  console.log(formatLine("all named kinds", named));
  console.log(formatLine("all tasks", all));
}

interface Counted {
  readonly runs: number;
  readonly won: number;
  readonly refused: number;
}

function count(results: readonly Result[]): Counted {
  return {
    runs: results.length,
    won: results.filter(({ kind }) => kind === "success").length,
    refused: results.filter(({ kind }) => kind === "refused").length,
  };
}

function formatLine(name: string, { runs, won, refused }: Counted): string {
  const share = runs === 0 ? 0 : (100 * won) / runs;
  return `${name.padEnd(34)} ${String(won).padStart(4)} of ${String(runs).padStart(4)}  ${share.toFixed(0).padStart(3)} %${refused > 0 ? `   refused ${refused}` : ""}`;
}
