import { createHash } from "node:crypto";
import type { Observation } from "../../browser/observation/observation.ts";
import { findActingVerb } from "../../browser/session/acting-url.ts";
import { runInSlices } from "../../lib/waiting.ts";
import type { CostMeter } from "../../models/usage.ts";
import { type ActionCall, ActionFailed } from "../actions/action.ts";
import { describeCall, toPublicCall } from "../actions/public-call.ts";
import type { Task } from "../grounding/claim.ts";
import { toOneLine } from "../safe-text.ts";
import type { TaskSecrets } from "../task-secrets.ts";
import type { CommitOpinion, Judge } from "../verifier/judge.ts";
import type { ActedPage } from "./acted-page.ts";
import type { Commit } from "./commit.ts";
import { type Asked, findCutOff, findExcess } from "./compare-with-task.ts";
import type { Entry } from "./entries.ts";
import { findOther, sendsEntries } from "./find-other.ts";
import { type Act, CONFIRMS, findLabelledAct, onlyPrepares, speaksOf } from "./operation.ts";
import type { Amount, Budget, InteractionRequest, People, Spending } from "./people.ts";
import { isPaidAct, type Price, readPrice } from "./price.ts";
import { type OrderReading, readOrderBySteps } from "./read-order.ts";
import { describeCommit } from "./receipt.ts";

/** Who decides what is done, and so what has to be said about it. It changes when a model takes over from a recipe. */
export interface Direction {
  /** Whether the task itself names each action, as steps do: then every action is declared by it. */
  readonly isExplicit: boolean;
  /** Null when no model is asked. */
  readonly judge: Judge | null;
  /** Whether the task asks for no change at all, as far as the judge can tell from its words. */
  readonly isQuestion: boolean;
  /** What the recipe that is followed sends, by kind; null when none is. */
  readonly recorded: readonly string[] | null;
}

export interface AgreementOptions {
  readonly task: Task;
  readonly secrets: TaskSecrets;
  readonly direction: Direction;
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
  /** What a question before a deletion is about, if that is something else than what was to be deleted. */
  readonly other: string | null;
  /** What the run has entered and not sent for good yet. */
  readonly entries: readonly Entry[];
  /** What was sent before, in words. */
  readonly earlier: readonly string[];
  readonly signal: AbortSignal;
}

/** Entries do not count by themselves: a page that saves them sends what was entered. */
export const ENTRIES: ReadonlySet<string> = new Set(["fill", "edit", "upload"]);

/** Agrees to what is declared, or not: code compares it with the task, the judge judges it, people approve it. */
export class Agreement {
  readonly #options: AgreementOptions;
  /** Hashes of what was agreed to and not sent yet, and whether it may cost money: an action that failed may be tried again. */
  readonly #agreed = new Map<string, boolean>();
  /** What was reserved and not sent yet. */
  #spending: Spending | null = null;
  /** The last commit whose price was compared with the user's limits. */
  #priced: Commit | null = null;

  constructor(options: AgreementOptions) {
    this.#options = options;
  }

  /** Throws ActionFailed with what must be put right, or ApprovalRefused. */
  async agree(declared: Declared): Promise<Commit> {
    const { sentence, page, call } = declared;
    const isFinal = call.commit === undefined ? isFinalByItself(call, page) : !isPrepared(sentence, page);
    if (isFinal) await page.readOrderAhead();
    // A cart on the page has nothing to do with what is deleted.
    const isOfOrder = isFinal && this.#findAct(declared) !== "delete";
    const { total: amount, recipient } = isOfOrder ? page.order : { total: null, recipient: null };
    const commit = { sentence, amount, recipient, isFinal, requests: [], reference: null };
    if (isFinal && (await this.#agreeToFinal(declared, describeCommit(commit)))) this.#priced = commit;
    return commit;
  }

  /** Whether somebody wants to be asked about everything that lasts. */
  get isApprovalWanted(): boolean {
    return this.#options.people?.approval === "commits";
  }

  /** Whether a request that costs money may be sent for it. */
  mayCost(commit: Commit): boolean {
    return this.#budget === null || this.#priced === commit;
  }

  /** What was agreed to was sent: what is done again must be agreed to again. */
  end(commit: Commit): void {
    this.#agreed.clear();
    if (commit !== this.#priced) return;
    // If this fails, the end of the execution settles it in the same way.
    this.#spending?.settle(true).catch(() => {});
    this.#spending = null;
  }

  /** Whether something is reserved that was not sent. */
  get isOpen(): boolean {
    return this.#spending !== null;
  }

  /** What was agreed to will not be sent any more. */
  async drop(): Promise<void> {
    const spending = this.#spending;
    if (spending === null) return;
    this.#spending = null;
    this.#priced = null;
    this.#agreed.clear();
    await spending.settle(false);
  }

  get #budget(): Budget | null {
    return this.#options.people?.budget ?? null;
  }

  /** Whether its price was compared with what may be spent. */
  async #agreeToFinal(declared: Declared, inWords: string): Promise<boolean> {
    const { sentence, page } = declared;
    const act = this.#findAct(declared);
    const fault = this.#findFault(declared, act);
    if (fault !== null) throw refuse(`${fault} Put it right first.`);
    const content = JSON.stringify([sentence, page.label, page.order.text]);
    const key = createHash("sha256").update(content).digest("hex");
    const before = this.#agreed.get(key);
    if (before !== undefined) return before;
    await this.drop();
    const opinion = await this.#askJudge(declared);
    const paid = this.#findPaidAct(declared, act);
    const price = readPrice(page.order, paid, opinion && (opinion.amount ?? ""));
    try {
      const why = price && (await this.#findObstacle(price));
      await this.#askPeople(declared, inWords, why);
      if (why !== null && price?.amount) await this.#reserve(price.amount, true);
      await this.#spending?.begin();
    } catch (error) {
      await this.drop().catch(() => {});
      throw error;
    }
    const isPriced = price !== null || isPaidAct(paid);
    this.#agreed.set(key, isPriced);
    return isPriced;
  }

  /** What the page shows otherwise than it was asked for or entered. */
  #findFault({ page, asked, other, entries }: Declared, act: Act | null): string | null {
    const { direction, secrets } = this.#options;
    if (other !== null && (act === "delete" || act === null)) return secrets.hide(other);
    if (act === "buy" || act === "book") {
      // Nobody looks at the page while a recipe is followed.
      const isReplayed = direction.recorded !== null;
      const excess = findExcess(page.order, asked) ?? (isReplayed ? findCutOff(page.order, asked) : null);
      if (excess !== null) return excess;
    }
    const shown = sendsEntries(act, page.label) ? findOther(page, entries) : null;
    return shown && secrets.hide(shown);
  }

  /** Steps declare every action: most links only open a page, and a button that confirms may be the purchase. */
  #findPaidAct({ page: { node, label, order } }: Declared, act: Act | null): Act | null {
    const { direction, task } = this.#options;
    if (!direction.isExplicit) return act;
    if (node?.role === "link") return null;
    return act === null && order.total !== null && CONFIRMS.test(label) && speaksOf("buy", task.prompt) ? "buy" : act;
  }

  #findAct({ sentence, page: { label } }: Declared): Act | null {
    const opening = sentence.split(/\s+/).slice(0, 3).join(" ");
    return findLabelledAct(label) ?? (this.#options.direction.isExplicit ? null : findLabelledAct(opening));
  }

  async #askJudge({ sentence, call, page, earlier, signal }: Declared): Promise<CommitOpinion | null> {
    const { task, meter } = this.#options;
    const { judge } = this.#options.direction;
    if (judge === null) return null;
    const action = describeCall(toPublicCall(call, page.observation));
    const trial = { task, sentence, action, page: page.observation, values: page.order.values, earlier };
    const opinion = await judge.judgeCommit(trial, { meter, signal });
    if (opinion?.agreed === true) return opinion;
    const reason = opinion === null ? "The judge gave no opinion." : toOneLine(opinion.reason, 300);
    throw refuse(`"${sentence}" is not what the task asks for. ${reason} Put it right first, or leave it.`);
  }

  /** Why a person must agree to what it costs; null when nobody has to. Then it is reserved. */
  async #findObstacle({ amount, doubt, isDisputed }: Price): Promise<string | null> {
    if (this.#budget === null) return isDisputed ? doubt : null;
    if (doubt !== null || amount === null) return `There is a spending limit. ${doubt ?? ""}`.trim();
    return await this.#reserve(amount, false);
  }

  /** Why it cannot be reserved; null when it was. */
  async #reserve(amount: Amount, isApproved: boolean): Promise<string | null> {
    const reservation = await this.#budget?.reserve(amount, isApproved);
    if (reservation?.kind === "refused") return reservation.why;
    this.#spending = reservation?.spending ?? null;
    return null;
  }

  async #askPeople({ page, signal }: Declared, inWords: string, why: string | null): Promise<void> {
    const { people, secrets, takePicture, observe } = this.#options;
    const isLimitAsked = why !== null && this.#budget !== null && people?.isReachable === true;
    if (people === null || (people.approval === "never" && !isLimitAsked)) {
      if (why !== null) throw refuse(`${why} Nobody can be asked to approve it.`);
      return;
    }
    const { order, node } = page;
    const artifactId = await takePicture();
    const request: InteractionRequest = {
      kind: "approval",
      message: secrets.hide(why === null ? inWords : `${inWords}. ${why}`),
      url: page.observation.url,
      amount: order.total,
      recipient: order.recipient,
      items: order.items.map(({ name, quantity }) => `${quantity} × ${name}`),
      values: order.values.map(({ name, value }) => ({ name, value: shortenValue(secrets.hide(value)) })),
      options: [],
      isSecret: false,
      picture: artifactId === null ? null : { artifactId, mark: node?.box ?? null },
    };
    const answer = await people.ask(request, signal);
    if (answer.kind !== "approved") throw new ApprovalRefused(answer.kind, inWords);
    const now = await runInSlices(readOrderBySteps(await observe()));
    if (describeOrder(now) !== describeOrder(order)) {
      // Stale, so that the action is repeated with the new page, and asked about again.
      throw new ActionFailed(
        "stale",
        "Nothing was sent: the page has changed since it was approved. Look at it again.",
      );
    }
  }
}

function isPrepared(sentence: string, { label }: ActedPage): boolean {
  return onlyPrepares(label) && onlyPrepares(sentence);
}

const ENTERS: ReadonlySet<string> = new Set([...ENTRIES, "select", "check"]);

/**
 * Whether an action that the task names itself, as steps do, may last: nobody should be asked about opening a page, filling in
 * a field or searching. Where such an action sends something after all, its request is held.
 */
function isFinalByItself({ action, input }: ActionCall, page: ActedPage): boolean {
  if (onlyPrepares(page.label)) return false;
  const { node, isSearch } = page;
  if (action === "press") return !isSearch && ["Enter", " ", "Space"].includes(String(input["key"]));
  if (ENTERS.has(action)) return input["submit"] === true && !isSearch;
  if (node?.role !== "link" || node.url === null || findActingVerb(node.url) !== null) return true;
  return leadsNowhere(node.url, page.observation.url) && findLabelledAct(page.label) !== null;
}

/** A link to the page that it is on, as for href="" and href="#": a button that a script answers to. */
function leadsNowhere(url: string, pageUrl: string): boolean {
  const [document, fragment = ""] = url.split("#");
  return fragment === "" && document === pageUrl.split("#")[0];
}

const MAX_VALUE_CHARS = 2_000;

/** Never cut without saying so: what is approved must be seen. */
function shortenValue(value: string): string {
  const left = value.length - MAX_VALUE_CHARS;
  return left <= 0 ? value : `${value.slice(0, MAX_VALUE_CHARS)} … (${left} more characters)`;
}

function refuse(why: string): ActionFailed {
  return new ActionFailed("commit", `Not done, nothing was sent. ${why}`);
}

/** What a person has seen and approved. Other text of a page may change at any time, such as a clock. */
function describeOrder({ total, items, values, chosen, addresses }: OrderReading): string {
  return JSON.stringify([total, items, values, chosen, addresses]);
}

/** Somebody had to agree and did not. Nothing was sent. */
export class ApprovalRefused extends Error {
  readonly kind: "declined" | "expired";

  constructor(answer: string, inWords: string) {
    const isExpired = answer === "expired";
    super(`${isExpired ? "Nobody approved in time" : "The person declined"}: ${inWords.replace(/[.!?]?$/, ".")}`);
    this.kind = isExpired ? "expired" : "declined";
  }
}
