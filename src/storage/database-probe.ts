import pg from "pg";
import { type Database, within } from "./database.ts";

/** Asks whether the database answers, on a connection of its own: a pool that is busy is no reason to say it does not. */
export interface DatabaseProbe extends AsyncDisposable {
  check(): Promise<void>;
}

const TIMEOUT_MS = 2_000;
const IDLE_MS = 60_000;

export function createDatabaseProbe({ pool }: Pick<Database, "pool">): DatabaseProbe {
  const own = new pg.Pool({
    ...pool.options,
    max: 1,
    connectionTimeoutMillis: TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    application_name: `errand probe ${process.pid}`,
  });
  // One that breaks while nobody asks is made anew for the next who does.
  own.on("error", () => {});
  // And one that breaks while it is asked tells whoever waits for the answer.
  own.on("connect", (client) => client.on("error", () => {}));
  let asking: Promise<unknown> | null = null;
  return {
    async check() {
      asking ??= own.query(within(TIMEOUT_MS, { text: "select 1" })).finally(() => {
        asking = null;
      });
      await asking;
    },
    [Symbol.asyncDispose]: () => own.end(),
  };
}
