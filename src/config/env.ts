import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import type { Environment } from "./config.ts";

/** The project folder. `.env` and a relative data directory are resolved here, whatever the working directory. */
export const PROJECT_DIR = resolve(import.meta.dirname, "../..");

/** The only reader of process.env. Environment variables win over `.env`. */
export function readEnvironment(): Environment {
  return { ...readDotEnv(join(PROJECT_DIR, ".env")), ...process.env };
}

function readDotEnv(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}
