import { ModelFailure } from "../../models/model.ts";
import type { RecipeOutcome, RecipeUse } from "../../recipes/recipe.ts";
import { fillTemplate, type Values } from "../../recipes/template.ts";
import type { Criterion, Task } from "../grounding/claim.ts";
import {
  type Decision,
  type Plan,
  type PlanContext,
  type Planner,
  PlannerRefusal,
  type Turn,
} from "../planner/planner.ts";
import { describeStep } from "../steps/describe-step.ts";
import type { Step } from "../steps/step.ts";
import { checkStepFile, InvalidSteps } from "../steps/step-file.ts";
import { followSteps, type StepsPlan } from "../steps/steps-planner.ts";

/** Follows a recipe without a model. Where it cannot be followed, the planner goes on from there if it has a model. */
export class ReplayPlan implements Plan {
  readonly startUrl: string | null;
  readonly outline: readonly string[];
  readonly signsIn: boolean;
  readonly writes: readonly string[];
  readonly #task: Task;
  readonly #planner: Planner;
  readonly #context: ReplayContext;
  readonly #recorded: StepsPlan;
  /** The steps without values. */
  readonly #slotted: readonly object[];
  /** The planner's, once it has taken over. */
  #successor: Plan | null = null;
  #divergence: { readonly step: string | null; readonly reason: string } | null = null;
  /** Whether the step that could not be done has a value in it. */
  #usesValue = false;

  constructor({ body, values }: RecipeUse, task: Task, planner: Planner, context: ReplayContext) {
    this.#recorded = followSteps(checkSteps(fillSteps(body.steps, values)), task);
    this.#task = task;
    this.#planner = planner;
    this.#context = context;
    this.startUrl = this.#recorded.startUrl;
    this.outline = this.#recorded.outline;
    this.signsIn = this.#recorded.signsIn;
    this.writes = body.writes;
    this.#slotted = body.steps;
  }

  /** Whether no model has been asked yet. */
  get isReplaying(): boolean {
    return this.#successor === null;
  }

  /** Steps name each action. What a model does has to be declared. */
  get isExplicit(): boolean {
    return this.isReplaying;
  }

  /** How the recipe went in a run that ended so. */
  conclude(failure: string | null): RecipeOutcome {
    const divergence = this.#divergence;
    if (failure !== null) {
      const { step = null, reason = failure } = divergence ?? {};
      return { kind: "failed", step, reason, usesValue: this.#usesValue };
    }
    return divergence === null ? { kind: "replayed" } : { kind: "healed", ...divergence };
  }

  async next(turn: Turn): Promise<Decision> {
    if (this.#successor !== null) return await this.#successor.next(turn);
    const decision = await this.#recorded.next(turn);
    if (decision.kind !== "give_up") return decision;
    const step = this.#describeCurrent();
    const at = step === null ? "after its last step" : `at step ${step}`;
    const named = { ...decision, reason: `The recipe could not be followed ${at}. ${decision.reason}` };
    this.#divergence = { step, reason: decision.reason };
    const { at: index, steps } = this.#recorded;
    this.#usesValue = JSON.stringify(steps[index]) !== JSON.stringify(this.#slotted[index]);
    if (!DIVERGENCES.has(decision.failure) || this.#planner.asksModel !== true) return named;
    try {
      const successor = await this.#heal(decision.reason);
      return await successor.next({ ...turn, reports: [] });
    } catch (error) {
      // Without a model the step that could not be done is what matters.
      if (!(error instanceof ModelFailure)) throw error;
      return { ...named, reason: `${named.reason} The model could not take over: ${error.message}` };
    }
  }

  get reconsider(): ((objection: string) => void) | undefined {
    const successor = this.#successor;
    return successor?.reconsider === undefined ? undefined : (objection) => successor.reconsider?.(objection);
  }

  /** Lets the planner take over after the verifier did not agree. False: it cannot. */
  async handOver(objection: string): Promise<boolean> {
    if (!this.isReplaying || this.#planner.asksModel !== true) return false;
    this.#divergence = { step: this.#describeCurrent(), reason: objection };
    try {
      await this.#heal(objection);
      return true;
    } catch (error) {
      // Then the verifier's objection is how the run ends.
      if (!(error instanceof ModelFailure)) throw error;
      return false;
    }
  }

  async #heal(reason: string): Promise<Plan> {
    const { at, steps } = this.#recorded;
    const plan = await this.#planner.plan(this.#task, this.#context);
    const criteria = await this.#context.readTask();
    plan.setCriteria?.(criteria);
    const done = steps.slice(0, at).map((step, index) => `${index + 1} ${describeStep(step)}: done`);
    const step = this.#describeCurrent();
    const problem =
      step === null ? `All steps were done, but this is not right yet. ${reason}` : `${step}: not possible. ${reason}`;
    plan.takeOver?.([...done, problem].join("\n"));
    this.#successor = plan;
    return plan;
  }

  /** The step that it is at; null after the last one. */
  #describeCurrent(): string | null {
    const { steps, at } = this.#recorded;
    const step = steps[at];
    return step === undefined ? null : `${at + 1} (${describeStep(step)})`;
  }
}

/** What is in the database may be from another version or written by hand, and a value may be too long for its step. */
function checkSteps(steps: readonly object[]): readonly Step[] {
  try {
    return checkStepFile({ steps }).steps;
  } catch (error) {
    if (!(error instanceof InvalidSteps)) throw error;
    throw new PlannerRefusal(`The recipe's steps are not valid with these values. ${error.message}`);
  }
}

export interface ReplayContext extends PlanContext {
  /** What the task asks for, as the judge reads it. */
  readonly readTask: () => Promise<readonly Criterion[]>;
}

/** Failures after which there may be another way. */
const DIVERGENCES: ReadonlySet<string> = new Set(["goal_unreachable", "unsupported_prompt"]);

/** The steps with values in their slots. */
export function fillSteps(steps: readonly object[], values: Values): object[] {
  const fill = (part: unknown): unknown => {
    if (typeof part === "string") return fillTemplate(part, values);
    if (Array.isArray(part)) return part.map(fill);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, fill(value)]));
  };
  return steps.map((step) => fill(step) as object);
}
