import type { CostMeter } from "../../models/usage.ts";
import type { RecipeOutcome } from "../../recipes/recipe.ts";
import type { Direction } from "../gate/agreement.ts";
import type { Criterion } from "../grounding/claim.ts";
import type { Plan } from "../planner/planner.ts";
import { ReplayPlan } from "../recipes/replay.ts";
import type { Judge, TaskReading } from "../verifier/judge.ts";
import type { Errand } from "./errand.ts";

/** Who decides in a run: a planner, or a recipe until a planner takes over. No model is asked while a recipe is followed. */
export class RunDirection implements Direction {
  readonly plan: Plan;
  /** The plan, if it follows a recipe. */
  readonly #replay: ReplayPlan | null;
  readonly #judge: Judge | null;
  readonly #task: TaskInWords;

  private constructor(plan: Plan, judge: Judge | null, task: TaskInWords) {
    this.plan = plan;
    this.#replay = plan instanceof ReplayPlan ? plan : null;
    this.#judge = judge;
    this.#task = task;
  }

  static async start(errand: Errand, meter: CostMeter, signal: AbortSignal): Promise<RunDirection> {
    const { task, planner, judge, recipe = null, findOutputProblems } = errand;
    const inWords = new TaskInWords(async () => (await judge?.readTask(task, { meter, signal })) ?? null);
    const context = { meter, findOutputProblems, signal, readTask: () => inWords.read() };
    const plan = recipe === null ? await planner.plan(task, context) : new ReplayPlan(recipe, task, planner, context);
    return new RunDirection(plan, judge, inWords);
  }

  /** Before the first turn. */
  async begin(): Promise<void> {
    if (this.#replay !== null) return;
    // Read in any case: the verifier needs the criteria, also where the plan does not.
    const criteria = await this.#task.read();
    this.plan.setCriteria?.(criteria);
  }

  get isReplaying(): boolean {
    return this.#replay?.isReplaying === true;
  }

  get isExplicit(): boolean {
    return this.plan.isExplicit ?? false;
  }

  get judge(): Judge | null {
    return this.isReplaying ? null : this.#judge;
  }

  get isQuestion(): boolean {
    return this.#task.reading.isQuestion;
  }

  get criteria(): readonly Criterion[] {
    return this.#task.reading.criteria;
  }

  get recorded(): readonly string[] | null {
    return this.isReplaying ? (this.#replay?.writes ?? null) : null;
  }

  /** Whether there is a second chance, now that the verifier has found something. */
  async reconsider(objection: string): Promise<boolean> {
    if (this.#replay !== null && (await this.#replay.handOver(objection))) return true;
    if (this.plan.reconsider === undefined) return false;
    this.plan.reconsider(objection);
    return true;
  }

  /** How the recipe went; null without one. */
  conclude(failure: string | null): RecipeOutcome | null {
    return this.#replay?.conclude(failure) ?? null;
  }
}

/** What the task asks for, as the judge reads it, once it was asked. */
class TaskInWords {
  readonly #ask: () => Promise<TaskReading | null>;
  reading: TaskReading = { criteria: [], isQuestion: false };

  constructor(ask: () => Promise<TaskReading | null>) {
    this.#ask = ask;
  }

  async read(): Promise<readonly Criterion[]> {
    this.reading = (await this.#ask()) ?? this.reading;
    return this.reading.criteria;
  }
}
