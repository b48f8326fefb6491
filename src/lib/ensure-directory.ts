import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a directory and what is missing above it. One step at a time: where nothing can be made (below /proc, say),
 * Node's own recursive mkdir never ends.
 */
export function ensureDirectory(path: string): void {
  if (existsSync(path)) return;
  ensureDirectory(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw new Error(`The folder ${path} cannot be made: ${(error as Error).message}`, { cause: error });
  }
}
