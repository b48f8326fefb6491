/**
 * The checks of the project, one after the other: `npm test [-- vitest arguments]` runs the static checks and the default
 * tier of the tests, with `--full` every test, and `npm run check` the static checks alone.
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";

interface Step {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
}

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** The part of Vitest's JSON report that is read here. */
interface VitestReport {
  testResults: { name: string; status: string; assertionResults: { status: string }[] }[];
}

const ROOT = join(import.meta.dirname, "..");
const BIN = join(ROOT, "node_modules/.bin");

const STATIC_STEPS: Step[] = [
  { name: "lint and format", command: "biome", args: ["ci"] },
  { name: "import boundaries", command: process.execPath, args: ["scripts/check-boundaries.ts"] },
  { name: "types", command: "tsc", args: ["--noEmit"] },
  { name: "unused code", command: "knip", args: ["--no-progress"] },
  ...globSync("scripts/generate-*.ts", { cwd: ROOT })
    .sort()
    .map((script) => ({ name: `${script} is up to date`, command: process.execPath, args: [script, "--check"] })),
];

function runStep({ name, command, args, env: more = {} }: Step): boolean {
  console.log(`\n> ${name}`);
  const started = performance.now();
  const env = { ...process.env, ...more, PATH: `${BIN}${delimiter}${process.env.PATH}` };
  const { status, error } = spawnSync(command, args, { cwd: ROOT, env, stdio: "inherit" });
  if (error) console.log(error.message);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? "ok" : "FAILED"}: ${name}, ${seconds} s`);
  return status === 0;
}

function runStatic(step: Step): Tally {
  const ok = runStep(step);
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 };
}

/** More files than this that fail at once are not a matter of a busy machine. */
const MAX_UNSTABLE = 5;

/**
 * In the full tier many browsers run at the same time, and a test can fail because the machine was too busy. So a few files
 * that failed there are run once more, one at a time. What fails again has failed; what passes is named at the end.
 */
function runVitest(args: string[], tier: "default" | "full"): Tally {
  const first = runVitestOnce(`tests, ${tier} tier`, args, tier);
  // Whoever names a file sees for themselves.
  if (tier === "default" || args.length > 0 || first.failed.length === 0 || first.failed.length > MAX_UNSTABLE)
    return first.tally;
  const again = runVitestOnce(
    "tests that failed, one file at a time",
    ["--no-file-parallelism", ...first.failed],
    tier,
  );
  if (again.tally.failed > 0) return first.tally;
  unstable.push(...first.failed);
  return { ...first.tally, passed: first.tally.passed + first.tally.failed, failed: 0 };
}

/** Files that passed only when they were run one at a time. */
const unstable: string[] = [];

function runVitestOnce(name: string, args: string[], tier: "default" | "full"): { tally: Tally; failed: string[] } {
  const folder = mkdtempSync(join(tmpdir(), "errand-test-"));
  const report = join(folder, "report.json");
  try {
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const env = { ERRAND_TEST_TIER: tier };
    const ok = runStep({ name, command: "vitest", args: ["run", ...reporters, ...args], env });
    const { testResults } = readReport(report);
    const tally = countTests(testResults);
    const ranNothing = tally.passed + tally.failed === 0 && args.length === 0;
    if (ranNothing) console.log("No test ran.");
    const failed = testResults.filter(({ status }) => status === "failed").map((file) => relative(ROOT, file.name));
    // Vitest can also fail outside of any test, for instance on an unhandled rejection.
    if ((!ok || ranNothing) && tally.failed === 0) return { tally: { ...tally, failed: 1 }, failed: [] };
    return { tally, failed };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function countTests(files: VitestReport["testResults"]): Tally {
  const tally = { passed: 0, failed: 0, skipped: 0 };
  for (const file of files) {
    const statuses = file.assertionResults.map((test) => test.status);
    // A file that cannot be loaded has no tests to count.
    if (file.status === "failed" && !statuses.includes("failed")) statuses.push("failed");
    for (const status of statuses) {
      tally[status === "passed" || status === "failed" ? status : "skipped"] += 1;
    }
  }
  return tally;
}

function readReport(report: string): VitestReport {
  try {
    return JSON.parse(readFileSync(report, "utf8")) as VitestReport;
  } catch {
    return { testResults: [] };
  }
}

function main(args: string[]): void {
  const vitestArgs = args.filter((argument) => argument !== "--static" && argument !== "--full");
  // A path says itself what is wanted, in whichever tier it is.
  const hasPath = vitestArgs.some((argument) => !argument.startsWith("-"));
  const tier = args.includes("--full") || hasPath ? "full" : "default";
  const results = STATIC_STEPS.map((step) => ({ name: step.name, tally: runStatic(step) }));
  if (!args.includes("--static")) results.push({ name: "tests", tally: runVitest(vitestArgs, tier) });

  const failures = results.filter(({ tally }) => tally.failed > 0).map(({ name }) => name);
  console.log(failures.length > 0 ? `\nFailed: ${failures.join(", ")}` : "\nEverything passed.");

  if (unstable.length > 0) console.log(`Passed only when run one at a time: ${unstable.join(", ")}`);

  const total = (key: keyof Tally) => results.reduce((sum, { tally }) => sum + tally[key], 0);
  const skipped = total("skipped");
  console.log(`${total("passed")} passed, ${total("failed")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

main(process.argv.slice(2));
