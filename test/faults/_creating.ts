import { setTimeout as sleep } from "node:timers/promises";
import type { Errand, Round } from "./_fault.ts";
import type { Caught } from "./_fault-proxy.ts";

/** The API, held during a create. */
export interface Creating {
  readonly errand: Errand;
  readonly statement: Caught;
  /** The client's final response; null: none, or one that says to retry. */
  readonly answer: Promise<string | null>;
}

const RETRY_MS = 200;

/** A busy API may tell the client to retry before it gets that far. */
export async function reachCreating(round: Round, at: "before" | "during" | "after"): Promise<Creating> {
  const { stage, signal, note } = round;
  const errand = round.newErrand();
  for (;;) {
    using trap = stage.api.proxy.setTrap({ statement: "execution-create", at, containing: [errand.key] });
    const answer = stage.clients.tryCreate(errand);
    const statement = await Promise.race([trap.caught, answer.then(() => null)]);
    if (statement !== null) {
      note(`the API is held ${at} execution-create`);
      return { errand, statement, answer };
    }
    await sleep(RETRY_MS, undefined, { signal });
  }
}
