import { setImmediate } from "node:timers/promises";
import { type Observation, walk } from "../../../browser/observation/observation.ts";
import { type Model, ModelFailure, type ModelResponse } from "../../../models/model.ts";
import type { CostMeter } from "../../../models/usage.ts";
import type { Criterion, Screenshot, Task } from "../../grounding/claim.ts";
import { Fence, toOneLine } from "../../safe-text.ts";
import { TaskSecrets } from "../../task-secrets.ts";
import { type Decision, type Plan, type PlanContext, type Planner, PlannerRefusal, type Turn } from "../planner.ts";
import { Claims } from "./claims.ts";
import { handleResponse } from "./handle-response.ts";
import { Memory } from "./memory.ts";
import { buildTurnParts, describeTask, type Objection, SYSTEM_PROMPT } from "./prompt.ts";
import { giveUp, listTools } from "./tools.ts";

/** Asks a language model what to do: one fresh, bounded request a turn. Only checked calls are performed. */
export function createModelPlanner(model: Model): Planner {
  return { name: model.name, asksModel: true, plan: async (task, context) => new ModelPlan(model, task, context) };
}

/** Actions per turn. */
const MAX_CALLS = 5;
/** Requests in a row about one page that led to no action and no note. */
const MAX_FRUITLESS = 6;
/** Requests about one page in total. */
const MAX_REQUESTS = 30;
/** The share of the budget from which on only an ending is accepted. */
const LAST_TURN_SHARE = 0.95;

class ModelPlan implements Plan {
  readonly startUrl: string | null;
  readonly outline: readonly string[];
  readonly signsIn: boolean;
  readonly #task: Task;
  readonly #secrets: TaskSecrets;
  readonly #model: Model;
  readonly #meter: CostMeter;
  readonly #fence = new Fence();
  #criteria: readonly Criterion[] = [];
  readonly #memory: Memory;
  readonly #claims: Claims;
  /** For the next request, in our own words. */
  #remarks: string[] = [];
  /** The latest result of `extract`. It quotes the page. */
  #extracted: string | null = null;
  /** Otherwise the model has not seen it yet, because it did something else in the same response. */
  #isExtractedShown = false;
  /** The verifier's, to the last claim. It quotes pages. */
  #objection: Objection | null = null;
  /** What was done before this plan took over. It quotes pages. */
  #predecessor: string | null = null;
  #fruitless = 0;
  /** The number of actions in the last decision. */
  #requestedActions = 0;

  constructor(model: Model, task: Task, { meter, findOutputProblems }: PlanContext) {
    const isEmpty = task.prompt.trim() === "" && task.outputSchema === null;
    if (isEmpty) throw new PlannerRefusal("The prompt is empty.");
    const secrets = new TaskSecrets(task.prompt);
    const startUrl = task.startUrl ?? findUrl(task.prompt);
    this.startUrl = startUrl;
    this.outline = [toOneLine(secrets.prompt, 200)];
    this.signsIn = !secrets.isEmpty || mentionsSigningIn(task.prompt);
    this.#task = task;
    this.#secrets = secrets;
    this.#meter = meter;
    this.#model = meter.wrap(model);
    this.#memory = new Memory(task.prompt, startUrl);
    this.#claims = new Claims(this.#model, { ...task, prompt: secrets.prompt }, findOutputProblems);
  }

  setCriteria(criteria: readonly Criterion[]): void {
    this.#criteria = criteria;
  }

  takeOver(report: string): void {
    this.#predecessor = report;
  }

  reconsider(objection: string): void {
    this.#objection = { text: objection, hasActedSince: false };
    this.#claims.startTurn();
  }

  /** Asks until a response leads to a decision. */
  async next(turn: Turn): Promise<Decision> {
    this.#startTurn(turn);
    // On a large page this and the prompt take long together.
    await setImmediate();
    const following = await this.#followList(turn);
    if (following !== null) return following;
    const screenshot = await this.#takeScreenshot(turn);
    for (let request = 1; request <= MAX_REQUESTS; request++) {
      if (this.#fruitless >= MAX_FRUITLESS || this.#memory.stuckDetector.isHopeless) break;
      const response = await this.#ask(turn, screenshot, this.#isLast(turn));
      if (response === null) return giveUp("step_limit", OUT_OF_BUDGET);
      const decision = await this.#handle(response, turn);
      if (decision !== null) return decision;
      if (turn.observation.dialog !== null && request > 1) return DISMISS_DIALOG;
    }
    if (this.#isLast(turn)) return giveUp("step_limit", OUT_OF_BUDGET);
    return giveUp(
      "goal_unreachable",
      "The planner kept repeating what had not worked before and found no other way.",
      "STUCK",
    );
  }

  #startTurn(turn: Turn): void {
    this.#memory.observe(turn);
    this.#fruitless = 0;
    if (this.#isExtractedShown) this.#extracted = null;
    if (turn.reports.length === 0) return;
    this.#claims.startTurn();
    if (this.#objection !== null) this.#objection = { ...this.#objection, hasActedSince: true };
    if (turn.reports.length < this.#requestedActions) this.#remarks.push(ACTIONS_SKIPPED);
  }

  /** Goes on with a list that is being extracted, without asking the model. */
  async #followList(turn: Turn): Promise<Decision | null> {
    const extracted = await this.#claims.gatherNext(turn);
    if (extracted === null) return null;
    this.#setExtracted(extracted);
    return await this.#claims.followList(turn);
  }

  #setExtracted(extracted: string): void {
    this.#extracted = extracted;
    this.#isExtractedShown = false;
  }

  #isLast({ stepsLeft, spent }: Turn): boolean {
    return stepsLeft <= 1 || Math.max(spent, this.#meter.spentShare) >= LAST_TURN_SHARE;
  }

  /** On request, when the run is stuck, and when the page has little text. */
  async #takeScreenshot({ observation, reports, takeScreenshot }: Turn): Promise<Screenshot | null> {
    if (!this.#model.seesImages) return null;
    const isRequested = reports.some(({ call, failure }) => call.action === "look" && failure === null);
    const isUseful = isRequested || this.#memory.stuckDetector.isStuck || hasLittleText(observation);
    return isUseful ? await takeScreenshot() : null;
  }

  /** Null when the model gives no usable response in the last turn. */
  async #ask(turn: Turn, screenshot: Screenshot | null, isLast: boolean): Promise<ModelResponse | null> {
    const { notebook, history, stuckDetector } = this.#memory;
    const remarks = [...stuckDetector.remarks, ...this.#remarks];
    this.#remarks = [];
    this.#isExtractedShown = true;
    const parts = buildTurnParts({
      fence: this.#fence,
      turn,
      notebook,
      history,
      extracted: this.#extracted,
      objection: this.#objection,
      predecessor: this.#predecessor,
      remarks,
      tried: stuckDetector.tried,
      isLast,
      screenshot,
    });
    const tools = listTools({
      seesImages: this.#model.seesImages,
      wantsData: this.#task.outputSchema !== null,
      canAsk: turn.askPerson !== undefined,
    });
    const stablePrompt = describeTask(this.#task, this.#criteria, this.startUrl, this.#secrets, this.#fence);
    const request = { system: SYSTEM_PROMPT, stablePrompt, parts, tools, maxCalls: MAX_CALLS };
    try {
      return await this.#model.ask(request, turn.signal);
    } catch (error) {
      if (isLast && error instanceof ModelFailure && error.kind === "unusable") return null;
      throw error;
    }
  }

  /** Null when the response leads to another request. */
  async #handle(response: ModelResponse, turn: Turn): Promise<Decision | null> {
    const isLast = this.#isLast(turn);
    const context = { turn, isLast, memory: this.#memory, claims: this.#claims, secrets: this.#secrets };
    const { decision, remarks, extracted, isFruitful } = await handleResponse(response, context);
    this.#remarks.push(...remarks);
    if (extracted !== null) this.#setExtracted(extracted);
    this.#fruitless = isFruitful ? 0 : this.#fruitless + 1;
    this.#requestedActions = decision?.kind === "act" ? decision.calls.length : 0;
    return decision;
  }
}

const ACTIONS_SKIPPED = "Not all of your last actions were performed: they stop at a new page, a dialog or a failure.";
const OUT_OF_BUDGET = "The errand was not done within its limits, and the planner did not end it.";

/** A page may ask anything in a dialog. Without a response from the model it is dismissed. */
const DISMISS_DIALOG: Decision = {
  kind: "act",
  calls: [{ action: "dialog", input: { accept: false } }],
  why: "Dismiss the dialog, because the planner did not respond to it.",
};

function findUrl(prompt: string): string | null {
  const url = /https?:\/\/[^\s<>"'“”‘’`]+/i.exec(prompt)?.[0].replace(/(?<![.,;:!?)\]}])[.,;:!?)\]}]+$/, "");
  return url === undefined ? null : (URL.parse(url)?.href ?? null);
}

/** "If you have to log in, stop" does not ask to sign in. */
function mentionsSigningIn(prompt: string): boolean {
  const signIn = /\b(?:sign|log)(?:ging|ning)?[\s-]?(?:in|on)\b/i;
  return prompt
    .split(/[.;!?\n]/)
    .some((sentence) => signIn.test(sentence) && !/\b(?:if|unless|without|not|never|don['’]t)\b/i.test(sentence));
}

const FEW_NAMED_NODES = 6;

/** Whether a page has so little text that a screenshot may show more: a drawing, a map, a game. */
function hasLittleText({ root, url }: Observation): boolean {
  if (!/^https?:/.test(url)) return false;
  let named = 0;
  for (const { node } of walk(root)) if (node.name !== "" && ++named >= FEW_NAMED_NODES) return false;
  return true;
}
