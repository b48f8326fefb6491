import { type Observation, walk } from "../../../browser/observation/observation.ts";
import { type Model, ModelFailure, type ModelResponse } from "../../../models/model.ts";
import type { CostMeter } from "../../../models/usage.ts";
import type { Criterion } from "../../grounding/claim.ts";
import { type FindOutputProblems, type Picture, type Task } from "../../grounding/claim.ts";
import { toOneLine } from "../../safe-text.ts";
import { TaskSecrets } from "../../task-secrets.ts";
import { type Decision, type Plan, type PlanContext, type Planner, PlannerRefusal, type Turn } from "../planner.ts";
import { Claims } from "./claims.ts";
import { handleResponse } from "./handle-response.ts";
import { Memory } from "./memory.ts";
import { buildTurnParts, describeTask, SYSTEM_PROMPT } from "./prompt.ts";
import { giveUp, listTools } from "./tools.ts";

/** Asks a language model what to do, one fresh and bounded question a turn, and lets it do only what holds up. */
export function createModelPlanner(model: Model): Planner {
  return { name: model.name, plan: async (task, means) => makePlan(model, task, means) };
}

function makePlan(model: Model, task: Task, means: PlanContext): Plan {
  if (task.prompt.trim() === "" && task.outputSchema === null) throw new PlannerRefusal("The prompt asks for nothing.");
  const secrets = new TaskSecrets(task.prompt);
  const startUrl = task.startUrl ?? findUrl(task.prompt);
  const outline = means.criteria.map(({ text }) => toOneLine(secrets.hide(text), 200));
  const plan = new ModelPlan({
    model: means.meter.follow(model),
    meter: means.meter,
    criteria: means.criteria,
    task,
    secrets,
    startUrl,
    findOutputProblems: means.findOutputProblems,
  });
  return {
    startUrl,
    outline: outline.length > 0 ? outline : [toOneLine(secrets.prompt, 200)],
    signsIn: !secrets.isEmpty || mentionsSigningIn(task.prompt),
    next: (turn) => plan.next(turn),
    reconsider: (objection) => plan.reconsider(objection),
  };
}

function findUrl(prompt: string): string | null {
  const said = /https?:\/\/[^\s<>"'“”‘’`]+/i.exec(prompt)?.[0].replace(/(?<![.,;:!?)\]}])[.,;:!?)\]}]+$/, "");
  return said === undefined ? null : (URL.parse(said)?.href ?? null);
}

/** "If you have to log in, stop" is no way to sign in. */
function mentionsSigningIn(prompt: string): boolean {
  const said = /\b(?:sign|log)(?:ging|ning)?[\s-]?(?:in|on)\b/i;
  return prompt
    .split(/[.;!?\n]/)
    .some((sentence) => said.test(sentence) && !/\b(?:if|unless|without|not|never|don['’]t)\b/i.test(sentence));
}

interface ModelPlanOptions {
  /** One whose costs are counted. */
  readonly model: Model;
  readonly meter: CostMeter;
  readonly criteria: readonly Criterion[];
  readonly task: Task;
  readonly secrets: TaskSecrets;
  readonly startUrl: string | null;
  readonly findOutputProblems: FindOutputProblems;
}

const MAX_CALLS = 5;
/** Questions about one page of which nothing came, and questions about it in all: notes may be many. */
const MAX_FRUITLESS = 6;
const MAX_QUESTIONS = 30;
const LAST_AT = 0.95;

class ModelPlan {
  readonly #options: ModelPlanOptions;
  readonly #lasting: string;
  readonly #memory: Memory;
  readonly #claims: Claims;
  #remarks: string[] = [];
  /** What was gathered from this page, in words that quote it: each time all that is known by then. */
  #gathered: readonly string[] = [];
  #objection: string | null = null;
  #fruitless = 0;
  /** How many actions were asked for last. */
  #asked = 0;

  constructor(options: ModelPlanOptions) {
    const { task, criteria, startUrl, secrets, model } = options;
    this.#options = options;
    this.#lasting = describeTask(task, criteria, startUrl, secrets);
    this.#memory = new Memory(task.prompt, startUrl);
    this.#claims = new Claims(model, { ...task, prompt: secrets.prompt }, options.findOutputProblems);
  }

  reconsider(objection: string): void {
    this.#objection = objection;
    this.#claims.reconsider();
  }

  async next(turn: Turn): Promise<Decision> {
    const { stuckness } = this.#memory;
    this.#memory.see(turn);
    this.#gathered = [];
    if (turn.reports.length > 0 && turn.reports.length < this.#asked) this.#remarks.push(CALLS_SKIPPED);
    const picture = await this.#takePicture(turn);
    this.#fruitless = 0;
    for (let question = 1; question <= MAX_QUESTIONS; question++) {
      if (this.#fruitless >= MAX_FRUITLESS || stuckness.isOver) break;
      const isLast = this.#isLast(turn);
      const answer = await this.#ask(turn, picture, isLast);
      if (answer === null) return endOfBudget();
      const decision = await this.#heed(answer, turn);
      if (decision !== null) return decision;
      if (turn.observation.dialog !== null && question > 1) return dismissDialog();
    }
    if (this.#isLast(turn)) return endOfBudget();
    return giveUp(
      "goal_unreachable",
      "The planner kept trying what had not worked before, and found no other way.",
      "STUCK",
    );
  }

  #isLast({ stepsLeft, spent }: Turn): boolean {
    return stepsLeft <= 1 || Math.max(spent, this.#options.meter.share) >= LAST_AT;
  }

  /** Null when the model does not come to an end where only an end is left. */
  async #ask(turn: Turn, picture: Picture | null, isLast: boolean): Promise<ModelResponse | null> {
    const { model, task } = this.#options;
    const { notebook, history, stuckness } = this.#memory;
    const remarks = [...stuckness.remarks, ...this.#remarks];
    this.#remarks = [];
    const parts = buildTurnParts({
      turn,
      notebook,
      history,
      gathered: this.#gathered,
      objection: this.#objection,
      remarks,
      tried: stuckness.tried,
      isLast,
      picture,
    });
    const tools = listTools({
      seesImages: model.seesImages,
      wantsData: task.outputSchema !== null,
      isLast,
      isAtLoss: stuckness.isGettingNowhere,
      prompt: task.prompt,
      observation: turn.observation,
    });
    try {
      return await model.ask(
        { system: SYSTEM_PROMPT, lasting: this.#lasting, parts, tools, maxCalls: MAX_CALLS },
        turn.signal,
      );
    } catch (error) {
      if (isLast && error instanceof ModelFailure && error.trouble === "unusable") return null;
      throw error;
    }
  }

  /** Null when nothing came of the answer but words. */
  async #heed(answer: ModelResponse, turn: Turn): Promise<Decision | null> {
    const { secrets } = this.#options;
    const heard = await handleResponse(answer, { turn, memory: this.#memory, claims: this.#claims, secrets });
    this.#remarks.push(...heard.remarks);
    if (heard.gathered.length > 0) this.#gathered = heard.gathered.slice(-1);
    this.#fruitless = heard.isFruitful ? 0 : this.#fruitless + 1;
    this.#asked = heard.decision?.kind === "act" ? heard.decision.calls.length : 0;
    return heard.decision;
  }

  /** On demand, when nothing moves, and where the text of the page says little. */
  async #takePicture({ observation, reports, takePicture }: Turn): Promise<Picture | null> {
    if (!this.#options.model.seesImages) return null;
    const isAsked = reports.some(({ call, failure }) => call.action === "look" && failure === null);
    const isWanted = isAsked || this.#memory.stuckness.isGettingNowhere || hasLittleText(observation);
    return isWanted ? await takePicture() : null;
  }
}

const CALLS_SKIPPED = "Not all that you called last was done: it stops at a new page, a dialog or a failure.";
function endOfBudget(): Decision {
  return giveUp(
    "step_limit",
    "The errand was not done within what it may use, and the planner came to no end by itself.",
  );
}

/** A page may ask anything in a dialog. Whoever gets no answer gets a no. */
function dismissDialog(): Decision {
  return {
    kind: "act",
    calls: [{ action: "dialog", input: { accept: false } }],
    why: "Dismiss the dialog: the planner did not answer it.",
  };
}

const FEW_NAMED_NODES = 6;

/** Whether the text of a page says so little that a picture may say more: a drawing, a map, a game. */
function hasLittleText({ root, url }: Observation): boolean {
  if (!/^https?:/.test(url)) return false;
  let named = 0;
  for (const { node } of walk(root)) if (node.name !== "" && ++named >= FEW_NAMED_NODES) return false;
  return true;
}
