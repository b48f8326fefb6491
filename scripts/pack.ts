/**
 * Builds what `npm pack` puts into the package: the program with its types removed, in dist/ with the same layout.
 * In a checkout Node removes the types itself, but not under node_modules.
 */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
const SOURCES = ["src/**/*.ts", "demo/**/*.ts", "scripts/ensure-browser.ts"];
/** With what their code reads at run time, such as styles and pictures. */
const FOLDERS = ["src", "demo", "migrations", "web/dist"];

/** Relative imports, and the URLs of threads, name the files that are built. */
export function toJavaScript(source: string): string {
  return stripTypeScriptTypes(source).replaceAll(/(["'])(\.{1,2}\/[^"'\n]*)\.ts\1/g, "$1$2.js$1");
}

function main(): void {
  rmSync(DIST, { recursive: true, force: true });
  for (const folder of FOLDERS) {
    cpSync(join(ROOT, folder), join(DIST, folder), { recursive: true, filter: (path) => !/\.(?:ts|md)$/.test(path) });
  }
  for (const path of globSync(SOURCES, { cwd: ROOT })) {
    const target = join(DIST, path.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, toJavaScript(readFileSync(join(ROOT, path), "utf8")));
  }
  const { name, version, type } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  writeFileSync(join(DIST, "package.json"), `${JSON.stringify({ name, version, type })}\n`);
}

if (import.meta.main) main();
