import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The wall clock of processes that are started with `env`. */
export interface JumpingClock {
  readonly env: Record<string, string>;
  /** Sets the offset from now on; 0 corrects the clock. */
  jump(by: { days?: number; hours?: number }): void;
}

const PRELOAD = pathToFileURL(join(import.meta.dirname, "shifted-clock.ts")).href;

export function createJumpingClock(folder: string): JumpingClock {
  const file = join(folder, "clock-offset");
  const jump: JumpingClock["jump"] = ({ days = 0, hours = 0 }) => {
    writeFileSync(file, String((days * 24 + hours) * 3_600_000));
  };
  jump({});
  return { env: { FAULT_CLOCK_FILE: file, NODE_OPTIONS: `--import ${PRELOAD}` }, jump };
}
