import { readdirSync, readFileSync } from "node:fs";

const FOLDER = new URL("live/", import.meta.url);

/** The modules of the live page's script by name, as they stand in their folder. */
export function readScripts(): [name: string, content: string][] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".js"))
    .map((name) => [name, readFileSync(new URL(name, FOLDER), "utf8")]);
}
