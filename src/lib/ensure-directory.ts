import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a directory and its missing parents, one level at a time: Node's recursive mkdir never returns where nothing
 * can be created, such as below /proc.
 */
export function ensureDirectory(path: string): void {
  if (existsSync(path)) return;
  ensureDirectory(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw new Error(`Cannot create the folder ${path}: ${(error as Error).message}`, { cause: error });
  }
}
