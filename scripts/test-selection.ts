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
  /** How many more reach the change only through files that put the service together. */
  beyond: number;
}

/**
 * A file that reaches more of the others than this puts the program together. Nearly every test starts the service through
 * such a file, so that reaching a change through it says nothing.
 */
const MAX_REACHED = 160;

/** Paths that differ from a revision, including those that Git does not track yet. */
export function listChanged(root: string, revision: string): string[] {
  return [...readLines(root, ["diff", "--name-only", "--no-renames", revision]), ...listUntracked(root)];
}

function listUntracked(root: string): string[] {
  return readLines(root, ["ls-files", "--others", "--exclude-standard"]);
}

function readLines(root: string, args: string[]): string[] {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")} failed: ${stderr.trim()}`);
  return stdout.split("\n").filter((line) => line !== "");
}

/** Tests that import a changed file, and those of its subject: `src/webhooks` has its tests in `test/webhooks`. */
export function selectTests(changed: readonly string[], sources: Sources): Selection {
  const imports = new Map([...sources].map(([path, text]) => [path, listImports(path, text)]));
  const importers = invert(imports);
  const tests = [...sources.keys()].filter((path) => path.endsWith(".test.ts"));
  const reachesMany = new Set([...sources.keys()].filter((path) => reach(path, imports).size > MAX_REACHED));

  const run = new Set<string>();
  const reached = new Set<string>();
  for (const path of changed) {
    // Unless the change is in such a file itself.
    const endsAt = (importer: string) => reachesMany.has(importer) && !reachesMany.has(path);
    const near = reach(path, importers, endsAt);
    for (const test of tests) {
      if (test === path || near.has(test)) run.add(test);
    }
    for (const importer of reach(path, importers)) reached.add(importer);
    for (const test of testsOfSubject(subjectsOf(path), tests)) run.add(test);
  }
  const beyond = tests.filter((test) => reached.has(test) && !run.has(test)).length;
  return { run: [...run].sort(), beyond };
}

/** Everything that is reached from a file, without the file; not beyond those at which it ends. */
function reach(
  from: string,
  edges: ReadonlyMap<string, readonly string[]>,
  endsAt: (path: string) => boolean = () => false,
): Set<string> {
  const reached = new Set<string>();
  const open = [from];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const next of edges.get(path) ?? []) {
      if (next === from || reached.has(next)) continue;
      reached.add(next);
      if (!endsAt(next)) open.push(next);
    }
  }
  return reached;
}

/** The folders of test that have the tests of a file, most specific first: the first that exists counts. */
function subjectsOf(path: string): string[][] {
  const folder = dirname(path);
  const parts = folder.split("/");
  if (parts[0] === "test") return [];
  if (parts[0] === "migrations" || path === "src/storage/sql/schema.ts")
    return [["storage"], ["executions"], ["backup"]];
  if (parts[0] === "packages") return [["sdk"]];
  if (parts[0] === "src" && parts.length > 1) {
    const inside = parts.slice(1);
    return [inside.map((_, index) => inside.slice(0, inside.length - index).join("/"))];
  }
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
