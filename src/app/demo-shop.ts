import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DemoShop, DemoShopOptions } from "../../demo/shop.ts";
import { ensureDirectory } from "../lib/ensure-directory.ts";

/** The usual port of the demo shop. */
export const DEMO_PORT = 4010;

interface OpenedDemoShop {
  readonly shop: DemoShop;
  /** The port that it should have had, and that something else uses; null when it has it. */
  readonly movedFrom: number | null;
}

/** Starts the demo shop on loopback, on the given port, or on any free one when that is in use. */
export async function openDemoShop(options: DemoShopOptions & { port: number }): Promise<OpenedDemoShop> {
  const { startDemoShop } = await import("../../demo/shop.ts");
  try {
    return { shop: await startDemoShop(options), movedFrom: null };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return { shop: await startDemoShop({ ...options, port: 0 }), movedFrom: options.port };
  }
}

/** The port that the demo shop of this installation had last, so that its URLs stay the same. */
export function readDemoPort(dataDir: string): number {
  const path = join(dataDir, PORT_FILE);
  const saved = existsSync(path) ? Number(readFileSync(path, "utf8")) : DEMO_PORT;
  return Number.isInteger(saved) && saved > 0 && saved <= 65_535 ? saved : DEMO_PORT;
}

export function saveDemoPort(dataDir: string, { url }: DemoShop): void {
  ensureDirectory(dataDir);
  writeFileSync(join(dataDir, PORT_FILE), `${new URL(url).port}\n`);
}

const PORT_FILE = "demo-port";
