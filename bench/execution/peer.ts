import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BareRun, CartOrder } from "./bare-script.ts";

/** Another tool that does the same errand. It is installed outside of this project. */
export interface Peer {
  /** With its version. */
  name: string;
  /** In a browser that was started before, like the warm bare script. */
  run(shopUrl: string, order: CartOrder): Promise<BareRun>;
}

export async function readPeerVersion(folder: string, name: string): Promise<string> {
  const file = join(folder, "node_modules", name, "package.json");
  const text = await readFile(file, "utf8").catch(() => {
    throw new Error(`${name} is not installed in ${folder}. Run: npm install --prefix ${folder} ${name}`);
  });
  return (JSON.parse(text) as { version: string }).version;
}
