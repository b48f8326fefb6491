/** Checks who imports whom in src and packages, by the table in boundaries.ts: `node scripts/check-boundaries.ts`. */
import { dirname, join, posix } from "node:path";
import { ALLOWED } from "./boundaries.ts";
import { listImports, readSources, type Sources } from "./imports.ts";

/** The files that the table is about. */
export const CHECKED = ["src/**/*.ts", "packages/*/src/**/*.ts"];

/** Every import that the table does not allow, and every folder that the table does not know. */
export function findViolations(sources: Sources): string[] {
  const unknown = new Set([...sources.keys()].map(folderOf).filter((folder) => ALLOWED[folder] === undefined));
  const violations = [...sources].flatMap(([path, text]) =>
    listImports(path, text)
      .filter((imported) => !mayImport(folderOf(path), folderOf(imported)))
      .map((imported) => `${path} may not import ${imported}`),
  );
  return [...[...unknown].map((folder) => `${folder} is not in scripts/boundaries.ts`), ...violations];
}

/** Files that import each other in a circle, in the order of their imports; type-only and dynamic ones included. */
export function findCircles(sources: Sources): string[][] {
  const finished = new Set<string>();
  const circles: string[][] = [];

  function visit(path: string, trail: readonly string[]): void {
    if (trail.includes(path)) circles.push(trail.slice(trail.indexOf(path)));
    else if (!finished.has(path)) {
      for (const imported of listImports(path, sources.get(path) ?? "")) visit(imported, [...trail, path]);
      finished.add(path);
    }
  }

  for (const path of sources.keys()) visit(path, []);
  return circles;
}

function mayImport(from: string, to: string): boolean {
  const allowed = ALLOWED[from] ?? [];
  return from === to || allowed.includes(to) || allowed.includes("*");
}

/** Relative to src. */
function folderOf(path: string): string {
  return posix.relative("src", dirname(path)) || ".";
}

function main(): void {
  const sources = readSources(join(import.meta.dirname, ".."), CHECKED);
  const problems = [
    ...findViolations(sources),
    ...findCircles(sources).map((circle) => `Import circle: ${circle.join(" → ")}`),
  ];
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

if (import.meta.main) main();
