import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Snapshot } from "./application.ts";

/** By path: the text of every file in the folder. */
export async function readFolder(folder: string, isWanted: (path: string) => boolean = () => true): Promise<Snapshot> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter(isWanted)
    .toSorted();
  const texts = await Promise.all(
    files.map(async (path) => [path, await readFile(join(folder, path), "utf8")] as const),
  );
  return Object.fromEntries(texts);
}
