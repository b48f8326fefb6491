import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../_harness/programs.ts";
import { readTier } from "../_harness/tier.ts";

const BENCH = join(import.meta.dirname, "../../bench");
const RUN_MS = 170_000;

/**
 * Its result, of which only the form is tested: figures of such short runs say nothing, so a missed target counts as well. A
 * benchmark that measured something wrong, or lost an execution, prints no result.
 */
async function runBenchmark(name: string, args: string[]): Promise<unknown> {
  const command = [join(BENCH, `${name}.ts`), ...args, "--json"];
  return await new Promise((resolve, reject) => {
    const options = { timeout: RUN_MS, maxBuffer: 10_000_000 };
    execFile(process.execPath, command, options, (error, stdout, stderr) => {
      if (stdout === "") reject(new Error(`${error?.message ?? "No result."}\n${stderr}`));
      else resolve(JSON.parse(stdout));
    });
  });
}

/** The shortest run of each. */
const SHORTEST = {
  api: {
    args: ["--many", "2000", "--rounds", "1", "--seconds", "0.2"],
    figures: { scenarios: [{ measurements: expect.anything() }, expect.anything(), expect.anything()] },
  },
  backlog: {
    args: ["--queued", "500", "--rounds", "1", "--samples", "2"],
    figures: { claims: [{ ratio: expect.any(Number) }, { ratio: expect.any(Number) }], starts: expect.anything() },
  },
  capacity: {
    args: ["--runs", "10", "--seconds", "2", "--run-seconds", "5", "--steps", "3"],
    figures: { levels: [{ wanted: 10, failures: 0 }] },
  },
  execution: {
    args: ["--rounds", "1", "--warm-ups", "0", "--profiles", "0", "--no-memory", "--no-model"],
    figures: { withoutModel: { timeRatios: { warm: { ratio: expect.any(Number) } } } },
  },
  gate: { args: ["--requests", "3"], figures: { addedMs: expect.any(Number) } },
  "live-view": {
    args: ["--presses", "3", "--seconds", "1", "--runs", "0"],
    figures: { presses: 3, live: { p50Ms: expect.any(Number) } },
  },
  load: {
    args: ["--executions", "2", "--curve", "none", "--seconds", "1", "--pages", "1", "--apis", "1", "--workers", "1"],
    figures: { drained: { executions: 2 } },
  },
  observation: {
    args: ["--rounds", "1", "--rows", "20", "--fields", "20"],
    figures: expect.arrayContaining([expect.objectContaining({ name: "table of 20 rows", unreachable: 0 })]),
  },
  prompt: { args: ["--turns", "2"], figures: { walks: expect.anything(), order: expect.anything() } },
  recipe: { args: ["--rounds", "1", "--warm-ups", "0"], figures: { replay: { requests: 0 } } },
  "recipe-matching": { args: ["--recipes", "5", "--samples", "3"], figures: { timings: expect.anything() } },
} satisfies Record<string, { args: string[]; figures: object }>;

/** These take seconds. The others start whole services, and wait for the night. */
const QUICK = ["gate", "observation", "recipe-matching"] as const;
const ALL = Object.keys(SHORTEST) as (keyof typeof SHORTEST)[];
const CASES = (readTier() === "nightly" ? ALL : QUICK).map((name) => [name, SHORTEST[name]] as const);

/** These need applications or pages that the project does not have. */
const NEED_MORE = ["corpus", "miniwob"];

describe("benchmarks", () => {
  it.for(CASES)("%s works", { timeout: RUN_MS + 10_000 }, async ([name, { args, figures }]) => {
    expect(await runBenchmark(name, args)).toMatchObject(figures);
  });

  if (readTier() === "nightly") {
    it("soak works", { timeout: RUN_MS + 10_000 }, async () => {
      const out = temporaryFolder();
      const result = await runBenchmark("soak", [
        "--minutes",
        "0.1",
        "--workers",
        "1",
        "--concurrency",
        "1",
        "--out",
        out,
      ]);
      expect(result).toMatchObject({ losses: { missing: 0, notEnded: 0 } });
      expect(globSync("soak.*", { cwd: out }).sort()).toEqual(["soak.json", "soak.svg"]);
    });
  }

  it("are all tested here, but for those that need more than this checkout", () => {
    const all = globSync("*.ts", { cwd: BENCH }).map((file) => file.replace(/\.ts$/, ""));
    expect([...Object.keys(SHORTEST), ...NEED_MORE, "soak"].sort()).toEqual(all.sort());
  });
});
