/** Who imports whom, read from the source text: TypeScript 7 has no API to ask. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** Source text by path, relative to the project's folder and with forward slashes. */
export type Sources = ReadonlyMap<string, string>;

const IMPORT = /\b(?:import|export)\s(?:[^"';]*?\sfrom\s)?"(\.[^"]*)"|\bimport\(\s*"(\.[^"]*)"/g;

export function readSources(root: string, patterns: readonly string[]): Sources {
  const exclude = (path: string) => /(^|[\\/])(node_modules|dist)$/.test(path);
  const paths = globSync([...patterns], { cwd: root, exclude }).sort();
  return new Map(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(join(root, path), "utf8")]));
}

/** The files of the project that a file imports: also types only, and dynamically. */
export function listImports(path: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, plain, dynamic]) => posix.join(dirname(path), plain ?? dynamic ?? ""));
}
