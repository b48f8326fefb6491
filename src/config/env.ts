import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { PROJECT_DIR } from "../lib/installation.ts";
import type { Environment } from "./config.ts";

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
