import { createHash } from "node:crypto";
import type { Observation } from "../../browser/observation/observation.ts";
import type { CostMeter } from "../../models/usage.ts";
import { type ActionCall, ActionFailed } from "../actions/action.ts";
import { describeCall, toPublicCall } from "../actions/public-call.ts";
import type { Task } from "../grounding/claim.ts";
import { toOneLine } from "../safe-text.ts";
import type { TaskSecrets } from "../task-secrets.ts";
import type { Judge } from "../verifier/judge.ts";
import type { ActedPage } from "./acted-page.ts";
import type { Commit } from "./commit.ts";
import { type Asked, findExcess } from "./compare-with-task.ts";
import { findLabelledAct, onlyPrepares } from "./operation.ts";
import type { InteractionRequest, People } from "./people.ts";
import { type OrderReading, readOrder } from "./read-order.ts";

export interface AgreementOptions {
  readonly task: Task;
  readonly secrets: TaskSecrets;
  /** Whether the task itself names each action, as steps do: then every action is declared by it. */
  readonly isExplicit: boolean;
  readonly judge: Judge | null;
  readonly people: People | null;
  readonly meter: CostMeter;
  /** Keeps a screenshot of the page; null when there is none. */
  readonly takePicture: () => Promise<string | null>;
  /** The page as it is now. */
  readonly observe: () => Promise<Observation>;
}

/** What an action declares, before it is performed. */
interface Declared {
  readonly sentence: string;
  readonly call: ActionCall;
  readonly page: ActedPage;
  readonly asked: Asked;
  /** What was sent before, in words. */
  readonly earlier: readonly string[];
  readonly signal: AbortSignal;
}

/** Entries do not count by themselves: a page that saves them sends what was entered. */
export const ENTRIES: ReadonlySet<string> = new Set(["fill", "edit", "upload"]);

/** Agrees to what is declared, or not: code compares it with the task, the judge judges it, people approve it. */
export class Agreement {
  readonly #options: AgreementOptions;
  /** Hashes of what was agreed to and not sent yet: an action that failed may be tried again. */
  readonly #agreed = new Set<string>();

  constructor(options: AgreementOptions) {
    this.#options = options;
  }

  /** Throws ActionFailed with what must be put right, or ApprovalRefused. */
  async agree(declared: Declared): Promise<Commit> {
    const { sentence, page, call } = declared;
    const isPrepared = onlyPrepares(page.label) && (this.#options.isExplicit || onlyPrepares(sentence));
    const isEntry = ENTRIES.has(call.action) && call.commit === undefined;
    const isFinal = !isPrepared && !isEntry;
    if (isFinal) await this.#agreeToFinal(declared);
    const { total, recipient } = isFinal ? page.order : { total: null, recipient: null };
    return { sentence, amount: total, recipient, isFinal, requests: [], reference: null };
  }

  /** What was agreed to was sent: what is done again must be agreed to again. */
  end(): void {
    this.#agreed.clear();
  }

  async #agreeToFinal(declared: Declared): Promise<void> {
    const { sentence, page, asked } = declared;
    if (this.#costsMoney(declared)) {
      const excess = findExcess(page.order, asked);
      if (excess !== null) throw refuse(`${excess} Put it right first.`);
    }
    const content = JSON.stringify([sentence, page.label, page.order.text]);
    const key = createHash("sha256").update(content).digest("hex");
    if (this.#agreed.has(key)) return;
    await this.#askJudge(declared);
    await this.#askPeople(declared);
    this.#agreed.add(key);
  }

  #costsMoney({ sentence, page: { label } }: Declared): boolean {
    const opening = sentence.split(/\s+/).slice(0, 3).join(" ");
    const act = findLabelledAct(label) ?? (this.#options.isExplicit ? null : findLabelledAct(opening));
    return act === "buy" || act === "book";
  }

  async #askJudge({ sentence, call, page, earlier, signal }: Declared): Promise<void> {
    const { task, judge, meter } = this.#options;
    if (judge === null) return;
    const action = describeCall(toPublicCall(call, page.observation));
    const trial = { task, sentence, action, page: page.observation, values: page.order.values, earlier };
    const opinion = await judge.judgeCommit(trial, { meter, signal });
    if (opinion?.agreed === true) return;
    const reason = opinion === null ? "The judge gave no opinion." : toOneLine(opinion.reason, 300);
    throw refuse(`"${sentence}" is not what the task asks for. ${reason} Put it right first, or leave it.`);
  }

  async #askPeople({ sentence, page, signal }: Declared): Promise<void> {
    const { people, secrets, takePicture, observe } = this.#options;
    if (people === null || people.approval === "never") return;
    const { order, node } = page;
    const artifactId = await takePicture();
    const request: InteractionRequest = {
      kind: "approval",
      message: secrets.hide(sentence),
      url: page.observation.url,
      amount: order.total,
      recipient: order.recipient,
      items: order.items.map(({ name, quantity }) => `${quantity} × ${name}`),
      values: order.values.map(({ name, value }) => ({ name, value: secrets.hide(value) })),
      options: [],
      isSecret: false,
      picture: artifactId === null ? null : { artifactId, mark: node?.box ?? null },
    };
    const answer = await people.ask(request, signal);
    if (answer.kind !== "approved") throw new ApprovalRefused(answer.kind, sentence);
    const now = readOrder(await observe());
    if (describeOrder(now) !== describeOrder(order)) {
      throw refuse("The page has changed since it was approved. Look at it again.");
    }
  }
}

function refuse(why: string): ActionFailed {
  return new ActionFailed("commit", `Not done, nothing was sent. ${why}`);
}

function describeOrder({ total, items, values }: OrderReading): string {
  return JSON.stringify([total, items, values]);
}

/** Somebody had to agree and did not. Nothing was sent. */
export class ApprovalRefused extends Error {
  readonly kind: "declined" | "expired";

  constructor(answer: string, sentence: string) {
    const isExpired = answer === "expired";
    super(`${isExpired ? "Nobody approved in time" : "The person declined"}: ${sentence}`);
    this.kind = isExpired ? "expired" : "declined";
  }
}
