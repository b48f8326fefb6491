import type { Model } from "../../../models/model.ts";
import { Harvest } from "../../extraction/by-model/harvest.ts";
import type { Extraction } from "../../extraction/fact.ts";
import type { Decision, FindOutputProblems, Task, Turn } from "../planner.ts";
import { giveUp } from "./end-with-give-up.ts";
import { makeClaim, type StatedClaim } from "./make-claim.ts";
import type { Memory } from "./memory.ts";

/** How often a model may say that it is done without being able to show it. */
const MAX_REFUSED = 3;

/** What a run says that it has achieved, and the data it gathers for that. */
export class Claims {
  readonly #task: Task;
  readonly #harvest: Harvest | null;
  #refused = 0;

  /** The task without its secrets: its words go to the model. */
  constructor(model: Model, task: Task, findProblems: FindOutputProblems) {
    this.#task = task;
    this.#harvest = task.outputSchema === null ? null : new Harvest({ model, task, findProblems });
  }

  /** What came of it, in words that quote the page. */
  async gather({ observation, signal }: Turn): Promise<string> {
    return this.#harvest === null ? "" : await this.#harvest.gather(observation, signal);
  }

  /** A decision, or what is wrong with the claim in our own words. */
  async make(stated: StatedClaim, memory: Memory, turn: Turn): Promise<Decision | readonly string[]> {
    const { evidence, notebook, entered, hasActed } = memory;
    const extraction = await this.#extract(turn);
    const made = makeClaim(stated, {
      task: this.#task,
      evidence,
      notebook,
      entered: entered.list(),
      extraction,
      hasActed,
    });
    if (made.kind === "claim") return { kind: "done", claim: made.claim };
    this.#refused += 1;
    if (this.#refused < MAX_REFUSED) return made.problems;
    const why = `The planner said ${MAX_REFUSED} times that the errand was done, and no page that it saw shows it.`;
    return giveUp("unverified", why, "UNPROVEN");
  }

  reconsider(): void {
    this.#refused = 0;
  }

  /** Models forget to gather before they are done: the last page is where the data most likely is. */
  async #extract(turn: Turn): Promise<Extraction | null> {
    if (this.#harvest === null) return null;
    if (this.#harvest.result() === null) await this.gather(turn);
    return this.#harvest.result();
  }
}
