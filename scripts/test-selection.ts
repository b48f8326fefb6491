/** Which tests a change can break: `npm test -- --changed`. */
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { listImports, type Sources } from "./imports.ts";

/** The files among which a change is followed. */
export const FOLLOWED = ["src", "packages", "web", "demo", "test", "bench", "scripts", "examples"].map(
  (folder) => `${folder}/**/*.{ts,tsx}`,
);

export interface Selection {
  /** Test files to run. */
  run: string[];
  /** How many more reach the change. */
  beyond: number;
}

/**
 * A file that reaches more of the others than this puts the program together. Nearly every test starts the service through
 * such a file, so that reaching a change through it says nothing.
 */
const MAX_REACHED = 160;

/** Of the tests that start something: so many take about a minute and a half. The nearest to the change are taken. */
const MAX_STARTING = 45;

/** Paths that differ from a revision, including those that Git does not track yet. */
export function listChanged(root: string, revision: string): string[] {
  const tracked = readPaths(root, ["diff", "-z", "--name-only", "--no-renames", revision, "--"]);
  return [...tracked, ...readPaths(root, ["ls-files", "-z", "--others", "--exclude-standard"])];
}

/** Everything that Git tracks, or would. */
export function listFiles(root: string): string[] {
  return readPaths(root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
}

function readPaths(root: string, args: string[]): string[] {
  const { status, stdout, stderr, error } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${error?.message ?? stderr.trim()}`);
  return stdout.split("\0").filter((path) => path !== "");
}

/** Tests that import a changed file, and those of its subject: `src/webhooks` has its tests in `test/webhooks`. */
export function selectTests(changed: readonly string[], sources: Sources): Selection {
  const imports = new Map([...sources].map(([path, text]) => [path, listImports(path, text)]));
  const importers = invert(imports);
  const tests = [...sources.keys()].filter((path) => path.endsWith(".test.ts"));
  const reachesMany = new Set([...sources.keys()].filter((path) => measureReach(path, imports).size > MAX_REACHED));

  /** By how many imports a test is away from a change. */
  const distances = new Map<string, number>();
  const reached = new Set<string>();
  for (const path of changed) {
    // Unless the change is in such a file itself.
    const endsAt = (importer: string) => reachesMany.has(importer) && !reachesMany.has(path);
    const near = measureReach(path, importers, endsAt);
    if (sources.has(path)) near.set(path, 0);
    for (const test of testsOfSubject(subjectsOf(path, near.size > 1), tests)) near.set(test, 0);
    for (const test of tests) {
      const distance = near.get(test);
      if (distance !== undefined) distances.set(test, Math.min(distance, distances.get(test) ?? Infinity));
    }
    for (const importer of measureReach(path, importers).keys()) reached.add(importer);
  }
  const byDistance = [...distances].sort(([, a], [, b]) => a - b).map(([test]) => test);
  const isPure = (test: string) => test.endsWith(".unit.test.ts");
  const starting = byDistance.filter((test) => !isPure(test)).slice(0, MAX_STARTING);
  const run = [...byDistance.filter(isPure), ...starting].sort();
  const all = new Set([...byDistance, ...tests.filter((test) => reached.has(test))]);
  return { run, beyond: all.size - run.length };
}

/** Everything that is reached from a file, without the file, and by how many edges; not beyond those at which it ends. */
function measureReach(
  from: string,
  edges: ReadonlyMap<string, readonly string[]>,
  endsAt: (path: string) => boolean = () => false,
): Map<string, number> {
  const distances = new Map([[from, 0]]);
  const open = [from];
  for (const path of open) {
    const distance = (distances.get(path) ?? 0) + 1;
    for (const next of edges.get(path) ?? []) {
      if (distances.has(next)) continue;
      distances.set(next, distance);
      if (!endsAt(next)) open.push(next);
    }
  }
  distances.delete(from);
  return distances;
}

/** Where every test of the database has its tables from, and what every test starts with. */
const WHOLE_SUBJECTS = [["storage"], ["executions"], ["backup"]];

/** The folders of test that have the tests of a file: of each list, the first that exists. */
function subjectsOf(path: string, isImported: boolean): string[][] {
  const parts = dirname(path).split("/");
  const inside = parts.slice(1);
  const outwards = inside.map((_, index) => inside.slice(0, inside.length - index).join("/"));
  if (parts[0] === "test") {
    // Its importers are the tests; pages and programs are loaded by their path.
    if (isImported || path.endsWith(".test.ts")) return [];
    return inside[0] === "_harness" ? WHOLE_SUBJECTS : [outwards];
  }
  if (parts[0] === "migrations" || path === "src/storage/sql/schema.ts") return WHOLE_SUBJECTS;
  if (/^(package(-lock)?\.json|vitest\.config\.ts)$/.test(path)) return [["project"], ...WHOLE_SUBJECTS];
  if (parts[0] === "packages") return [["sdk"]];
  if (parts[0] === "src" && inside.length > 0) return [outwards];
  return [[parts[0] ?? "", "project"]];
}

function testsOfSubject(subjects: readonly string[][], tests: readonly string[]): string[] {
  return subjects.flatMap((candidates) => {
    const folder = candidates.find((each) => tests.some((test) => test.startsWith(`test/${each}/`)));
    return folder === undefined ? [] : tests.filter((test) => test.startsWith(`test/${folder}/`));
  });
}

function invert(edges: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const inverted = new Map<string, string[]>();
  for (const [from, targets] of edges) {
    for (const target of targets) inverted.set(target, [...(inverted.get(target) ?? []), from]);
  }
  return inverted;
}
