import { type Answer, type Model, ModelFailure, type ToolCall } from "../../../models/model.ts";
import type { ActionCall } from "../../actions/action-report.ts";
import { toPublicCall } from "../../actions/public-call.ts";
import type { CostMeter } from "../../cost-meter.ts";
import type { TaskSecrets } from "../../prompting/task-secrets.ts";
import type { Criterion } from "../../verifier/judge/criterion.ts";
import type { Decision, Picture, Task, Turn } from "../planner.ts";
import { checkCall } from "./check-call.ts";
import { Claims } from "./claims.ts";
import { composeParts } from "./compose-parts.ts";
import { describeTask } from "./describe-task.ts";
import { endWithGiveUp, giveUp } from "./end-with-give-up.ts";
import { explain } from "./explain.ts";
import { groundFact, type StatedFact } from "./ground-fact.ts";
import { isPoor } from "./is-poor.ts";
import type { StatedClaim } from "./make-claim.ts";
import { Memory } from "./memory.ts";
import { offerTools } from "./offer-tools.ts";
import { RULES } from "./rules.ts";

interface Options {
  /** One whose costs are counted. */
  readonly model: Model;
  readonly meter: CostMeter;
  readonly criteria: readonly Criterion[];
  readonly task: Task;
  readonly secrets: TaskSecrets;
  readonly startUrl: string | null;
}

const MAX_CALLS = 5;
/** Questions about one page without anything being done on it. */
const MAX_QUESTIONS = 8;
const LAST_AT = 0.95;

/** What came of one call of the model: something to do, the end, or only words. */
type Heard =
  | { readonly kind: "act"; readonly call: ActionCall }
  | { readonly kind: "end"; readonly decision: Decision }
  /** `ends` the answer: what was asked for after it rested on it. */
  | { readonly kind: "remark"; readonly text: string; readonly ends: boolean };

export class ModelPlan {
  readonly #options: Options;
  readonly #lasting: string;
  readonly #memory: Memory;
  readonly #claims: Claims;
  #remarks: string[] = [];
  /** What was gathered since the last action, in words that quote pages. */
  #gathered: string[] = [];
  #objection: string | null = null;

  constructor(options: Options) {
    const { task, criteria, startUrl, secrets, model } = options;
    this.#options = options;
    this.#lasting = describeTask(task, criteria, startUrl, secrets);
    this.#memory = new Memory(task.prompt, startUrl);
    this.#claims = new Claims(model, { ...task, prompt: secrets.prompt });
  }

  reconsider(objection: string): void {
    this.#objection = objection;
    this.#claims.reconsider();
  }

  async next(turn: Turn): Promise<Decision> {
    const { stuckness } = this.#memory;
    this.#memory.see(turn);
    this.#gathered = [];
    const picture = await this.#takePicture(turn);
    for (let question = 1; question <= MAX_QUESTIONS && !stuckness.isOver; question++) {
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
  async #ask(turn: Turn, picture: Picture | null, isLast: boolean): Promise<Answer | null> {
    const { model, task } = this.#options;
    const { notebook, history, stuckness } = this.#memory;
    const remarks = [...stuckness.remarks, ...this.#remarks];
    this.#remarks = [];
    const parts = composeParts({
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
    const tools = offerTools({ seesImages: model.seesImages, wantsData: task.outputSchema !== null, isLast });
    try {
      return await model.ask({ system: RULES, lasting: this.#lasting, parts, tools, maxCalls: MAX_CALLS }, turn.signal);
    } catch (error) {
      if (isLast && error instanceof ModelFailure && error.trouble === "unusable") return null;
      throw error;
    }
  }

  /** Null when nothing came of the answer but words: then the model is asked again. */
  async #heed({ calls, text }: Answer, turn: Turn): Promise<Decision | null> {
    const actions: ActionCall[] = [];
    for (const call of calls) {
      const heard = await this.#hear(call, turn, actions.length > 0);
      if (heard.kind === "end") return heard.decision;
      if (heard.kind === "act") actions.push(heard.call);
      else this.#remarks.push(heard.text);
      if (heard.kind === "remark" && heard.ends) break;
    }
    if (actions.length === 0) return null;
    const told = actions.map((action) => toPublicCall(action, turn.observation));
    this.#memory.stuckness.perform(told);
    return { kind: "act", calls: actions, why: explain(text, told) };
  }

  async #hear(call: ToolCall, turn: Turn, isAfterAction: boolean): Promise<Heard> {
    switch (call.tool) {
      case "note":
        return remark(this.#note(call.input as unknown as StatedFact), false);
      case "extract":
        if (isAfterAction) return remark(OUT_OF_TURN, true);
        this.#gathered.push(await this.#claims.gather(turn));
        return remark("extract has read this page; what it has got is told above.", false);
      case "done":
        return isAfterAction
          ? remark(OUT_OF_TURN, true)
          : await this.#conclude(call.input as unknown as StatedClaim, turn);
      case "give_up": {
        if (isAfterAction) return remark(OUT_OF_TURN, true);
        const { kind, reason } = call.input;
        return { kind: "end", decision: endWithGiveUp(kind, reason, this.#memory.evidence.hasWritten) };
      }
      default:
        return this.#admit(call, turn);
    }
  }

  #note(stated: StatedFact): string {
    const grounded = groundFact(stated, this.#memory.evidence);
    if (grounded.kind === "refused") return `Not noted: ${grounded.why}.`;
    return `Noted as ${this.#memory.notebook.add(grounded.fact)}.`;
  }

  async #conclude(stated: StatedClaim, turn: Turn): Promise<Heard> {
    const decision = await this.#claims.make(stated, this.#memory, turn);
    if ("kind" in decision) return { kind: "end", decision };
    return remark(`done was not accepted. ${decision.join(" ")}`, true);
  }

  #admit(call: ToolCall, { observation }: Turn): Heard {
    const { addresses, stuckness } = this.#memory;
    const checked = checkCall(call, { observation, addresses, secrets: this.#options.secrets });
    if (checked.kind === "refused") return remark(checked.why, true);
    if (stuckness.isTooOften(toPublicCall(checked.call, observation))) {
      return remark(
        `${call.tool} was not done: you did the same on this very page twice before. Do something else.`,
        true,
      );
    }
    return { kind: "act", call: checked.call };
  }

  /** On demand, when nothing moves, and where the text of the page says little. */
  async #takePicture({ observation, reports, takePicture }: Turn): Promise<Picture | null> {
    if (!this.#options.model.seesImages) return null;
    const isAsked = reports.some(({ call, failure }) => call.action === "look" && failure === null);
    const isWanted = isAsked || this.#memory.stuckness.isGettingNowhere || isPoor(observation);
    return isWanted ? await takePicture() : null;
  }
}

const OUT_OF_TURN = "What you called after your actions was left out: see first what they come to, then call it alone.";

function remark(text: string, ends: boolean): Heard {
  return { kind: "remark", text, ends };
}

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
