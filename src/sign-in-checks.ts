import type { SignInStore } from "./connections/vault/sign-in-store.ts";
import type { JobSet, Task } from "./jobs/job.ts";
import { parseUuid } from "./lib/uuid.ts";
import { type CheckDependencies, checkSignIn } from "./worker/check-sign-in.ts";

interface SignInChecksOptions extends CheckDependencies {
  signIns: CheckDependencies["signIns"] & Pick<SignInStore, "listDue">;
  /** How old a check may be before there is another. */
  everyMs: number;
}

const FIND_DUE = "find-due-sign-ins";
const CHECK = "check-sign-in";
const EVERY_FIVE_MINUTES = "*/5 * * * *";
/** About as many as are checked until the next look. */
const MAX_DUE = 200;
const MAX_ATTEMPTS = 3;
/** Each has a browser, beside those of the executions. */
const CONCURRENCY = 2;

/** Checks saved sign-ins on a schedule, so that people hear that they must sign in again before something fails. */
export function createSignInChecks(options: SignInChecksOptions): JobSet {
  const { signIns, everyMs } = options;

  const findDue: Task = async (_payload, { add }) => {
    const due = await signIns.listDue(everyMs, MAX_DUE);
    for (const connectionId of due) {
      const payload = { connection_id: connectionId };
      await add({ task: CHECK, payload, key: `${CHECK} ${connectionId}`, maxAttempts: MAX_ATTEMPTS });
    }
  };

  const check: Task = (payload, { signal }) => checkSignIn(readConnectionId(payload), options, signal);

  return {
    tasks: { [FIND_DUE]: findDue, [CHECK]: check },
    schedules: [{ task: FIND_DUE, at: EVERY_FIVE_MINUTES }],
    concurrency: CONCURRENCY,
  };
}

function readConnectionId(payload: unknown): string {
  const given = typeof payload === "object" && payload !== null && "connection_id" in payload && payload.connection_id;
  const id = typeof given === "string" ? parseUuid(given) : null;
  if (id === null) throw new Error("a check names no connection");
  return id;
}
