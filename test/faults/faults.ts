import type { Fault } from "./_fault.ts";
import { BREAK_BROWSER } from "./environment/break-browser.ts";
import { DATABASE_AWAY } from "./environment/database-away.ts";
import { JUMP_CLOCK } from "./environment/jump-clock.ts";
import { MODEL_AWAY } from "./environment/model-away.ts";
import { NO_PLACE } from "./environment/no-place.ts";
import { KILL_ALL } from "./kill-all.ts";
import { KILL_API } from "./kill-api.ts";
import { KILL_BACKEND, KILL_POSTMASTER } from "./kill-postgres.ts";
import { KILL_WORKER } from "./kill-worker.ts";
import { STOP_WORKER } from "./stop-worker.ts";

export const FAULTS: readonly Fault[] = [
  KILL_WORKER,
  STOP_WORKER,
  KILL_API,
  KILL_POSTMASTER,
  KILL_BACKEND,
  KILL_ALL,
  DATABASE_AWAY,
  BREAK_BROWSER,
  NO_PLACE,
  JUMP_CLOCK,
  MODEL_AWAY,
];
