import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path";

/** Writes a generated file, or, with --check, fails when the committed one differs. */
export function writeOrCheck(path: string, content: string): void {
  const name = relative(process.cwd(), path);
  const committed = readIfThere(path);
  if (!process.argv.includes("--check")) {
    writeFileSync(path, content);
    console.log(committed === content ? `${name} is up to date.` : `${name} was written.`);
  } else if (committed !== content) {
    console.error(`${name} is out of date: run "npm run generate" and commit it.`);
    process.exitCode = 1;
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
