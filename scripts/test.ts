/** The checks of the project, one after the other. test/README.md says which tier a test belongs to. */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Tier, tierOf } from "../test/_harness/tier.ts";
import { readSources } from "./imports.ts";
import { FOLLOWED, listChanged, listFiles, selectTests } from "./test-selection.ts";

const HELP = `Runs the static checks and the tests.

  npm test                       static checks and the default tier: before you commit
  npm test -- --ci               with everything that guards an invariant: what .ci/run runs
  npm run test:nightly           all tests in full, then faults, real applications and the soak test
  npm test -- PATH...            static checks and all tests whose path contains one of these, in full

  --changed[=REVISION]   only types, and tests that differ from REVISION (default: HEAD), import what differs, or belong to
                         the same subject
  --watch                the same for each file that is saved from now on
  --times                also prints what each test file took and started, slowest first
  --static               only the static checks
  --help

Anything else goes to Vitest: npm test -- oauth -t "one use".
`;

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

interface Result {
  name: string;
  tally: Tally;
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

/** What the nightly tier runs besides the tests; docs/nightly.md has the last figures. */
const NIGHTLY_STEPS: Step[] = [
  { name: "200 rounds of faults", command: process.execPath, args: ["scripts/test-faults.ts", "--minutes", "180"] },
  { name: "real applications, without a model", command: process.execPath, args: ["bench/corpus.ts"] },
  { name: "real applications, with a model", command: process.execPath, args: ["bench/corpus.ts", "--set", "spa"] },
  { name: "soak test", command: process.execPath, args: ["bench/soak.ts", "--out", tmpdir()] },
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

function runSteps(steps: readonly Step[]): Result[] {
  return steps.map((step) => {
    const ok = runStep(step);
    return { name: step.name, tally: { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 } };
  });
}

interface TestRun {
  tier: Tier;
  vitestArgs: string[];
  /** Whether it fails if there is no test. */
  mustRun: boolean;
  hasTimes: boolean;
}

function runTests({ tier, vitestArgs, mustRun, hasTimes }: TestRun): Result {
  const folder = mkdtempSync(join(tmpdir(), "errand-test-"));
  const report = join(folder, "report.json");
  try {
    const env = { ERRAND_TEST_TIER: tier, ERRAND_TEST_REPORT: report, ERRAND_TEST_TIMES: hasTimes ? "yes" : "no" };
    const ok = runStep({ name: "tests", command: "vitest", args: ["run", ...vitestArgs], env });
    const tally = countTests(readReport(report).testResults);
    const ranNothing = tally.passed + tally.failed === 0 && mustRun;
    if (ranNothing) console.log("No test ran.");
    // Vitest can also fail outside of any test, for instance on an unhandled rejection.
    if ((!ok || ranNothing) && tally.failed === 0) return { name: "tests", tally: { ...tally, failed: 1 } };
    return { name: "tests", tally };
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

/** Returns whether everything passed. */
function conclude(results: readonly Result[]): boolean {
  const failures = results.filter(({ tally }) => tally.failed > 0).map(({ name }) => name);
  console.log(failures.length > 0 ? `\nFailed: ${failures.join(", ")}` : "\nEverything passed.");
  const total = (key: keyof Tally) => results.reduce((sum, { tally }) => sum + tally[key], 0);
  const skipped = total("skipped");
  console.log(`${total("passed")} passed, ${total("failed")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failures.length === 0;
}

function runChanged(changed: readonly string[], hasTimes: boolean): boolean {
  const selected = selectTests(changed, readSources(ROOT, FOLLOWED));
  // A test of a later tier runs only if it was changed itself.
  const run = selected.run.filter((path) => tierOf(path) === "default" || changed.includes(path));
  const beyond = selected.beyond + selected.run.length - run.length;
  console.log(`Changed files: ${changed.length}. Test files to run: ${run.length}.`);
  for (const path of run) console.log(`  ${path}`);
  if (beyond > 0) console.log(`Test files that are left to npm test and .ci/run: ${beyond}.`);
  if (changed.length === 0) return true;
  const results = runSteps(STATIC_STEPS.filter(({ name }) => name === "types"));
  // In full where the tests themselves have changed: a new case may not be among those of the tier.
  const tier = changed.some((path) => path.startsWith("test/")) ? "nightly" : "default";
  // A path of Vitest is a part of one: the folder makes it whole.
  const vitestArgs = run.map((path) => join(ROOT, path));
  if (run.length > 0) results.push(runTests({ tier, vitestArgs, mustRun: true, hasTimes }));
  return conclude(results);
}

const POLL_MS = 1_000;

/** Runs again for whatever is saved, until it is stopped. */
async function watchChanges(hasTimes: boolean): Promise<never> {
  let known = readModified();
  for (;;) {
    console.log("\nWaiting for changes. Ctrl+C ends this.");
    let now = known;
    let changed: string[] = [];
    while (changed.length === 0) {
      await sleep(POLL_MS);
      now = readModified();
      changed = [...new Set([...known.keys(), ...now.keys()])].filter((path) => known.get(path) !== now.get(path));
    }
    known = now;
    runChanged(changed, hasTimes);
  }
}

/** When each file of the checkout was modified. Polled: a watched file that an editor replaces is lost. */
function readModified(): Map<string, number> {
  return new Map(
    listFiles(ROOT).flatMap((path) => {
      const stat = statSync(join(ROOT, path), { throwIfNoEntry: false });
      return stat === undefined ? [] : [[path, stat.mtimeMs] as const];
    }),
  );
}

const FLAGS = ["--ci", "--nightly", "--watch", "--times", "--static", "--help"] as const;

interface Choice {
  flags: ReadonlySet<(typeof FLAGS)[number]>;
  /** The revision of --changed. */
  since: string | null;
  vitestArgs: string[];
}

function readArguments(args: readonly string[]): Choice {
  const changed = args.find((arg) => arg === "--changed" || arg.startsWith("--changed="));
  const choice: Choice = {
    flags: new Set(FLAGS.filter((flag) => args.includes(flag))),
    since: changed === undefined ? null : changed.replace(/^--changed=?/, "") || "HEAD",
    vitestArgs: args.filter((arg) => arg !== changed && !FLAGS.some((flag) => flag === arg)),
  };
  const choosesItself = choice.since !== null || choice.flags.has("--watch");
  if (choosesItself && choice.vitestArgs.length > 0)
    throw new Error(`--changed and --watch choose the tests themselves: leave out ${choice.vitestArgs.join(" ")}.`);
  return choice;
}

function runTier({ flags, vitestArgs }: Choice): boolean {
  const tests = globSync("test/**/*.test.ts", { cwd: ROOT, exclude: ["**/node_modules"] });
  // A path says itself what is wanted, in whichever tier it is.
  const hasPath = vitestArgs.some((arg) => tests.some((path) => join(ROOT, path).includes(arg)));
  const tier = flags.has("--nightly") || hasPath ? "nightly" : flags.has("--ci") ? "ci" : "default";
  const results = runSteps(STATIC_STEPS);
  if (!flags.has("--static")) {
    results.push(runTests({ tier, vitestArgs, mustRun: vitestArgs.length === 0, hasTimes: flags.has("--times") }));
    if (flags.has("--nightly") && !hasPath) results.push(...runSteps(NIGHTLY_STEPS));
  }
  return conclude(results);
}

async function main(choice: Choice): Promise<boolean> {
  const { flags, since } = choice;
  if (flags.has("--help")) {
    console.log(HELP);
    return true;
  }
  if (flags.has("--watch")) return await watchChanges(flags.has("--times"));
  return since === null ? runTier(choice) : runChanged(listChanged(ROOT, since), flags.has("--times"));
}

try {
  if (!(await main(readArguments(process.argv.slice(2))))) process.exitCode = 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
