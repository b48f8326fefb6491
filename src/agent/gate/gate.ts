import { labelOf, type Observation } from "../../browser/observation/observation.ts";
import { findActingVerb } from "../../browser/session/acting-url.ts";
import { isWrite, type NetworkRecord } from "../../browser/session/network-record.ts";
import type { HeldRequest } from "../../browser/session/write-interceptor.ts";
import type { ActionCall, CallGate, HeldBack } from "../actions/action.ts";
import { ACTIONS } from "../actions/catalogue.ts";
import { asksToClick, onlyAsks, withoutQuotedText } from "../grounding/english-words.ts";
import { isEnglish, isForeignQuestion } from "../grounding/prose.ts";
import { redactUrl, toOneLine } from "../safe-text.ts";
import { ActedPage } from "./acted-page.ts";
import { Agreement, type AgreementOptions } from "./agreement.ts";
import { AskedAbout } from "./asked-about.ts";
import { type Commit, findReference, type SentRequest, shapeOf, toSent, withoutFragment } from "./commit.ts";
import { type Asked, findExcess, findSwapped } from "./compare-with-task.ts";
import { Entries, type Entry } from "./entries.ts";
import { findOther, sendsEntries } from "./find-other.ts";
import { explainHarmless, isReplacing, LOOKS_UP, type Moment } from "./harmless.ts";
import {
  ACT_WORDS,
  type CurrentAction,
  describeUndeclared,
  isOfPage,
  ONLY_ASKS,
  objectToUndeclared,
  REPEATED,
  UNDECLARED,
  UNDECLARED_LINK,
  UNPRICED,
  UNRECORDED,
  withoutCheckout,
} from "./objections.ts";
import {
  type Act,
  asksFor,
  asksToPress,
  findLabelledAct,
  isInEnglish,
  type Operation,
  readOperation,
  speaksOf,
  toAct,
} from "./operation.ts";
import { Polling } from "./polling.ts";
import { isPaidAct } from "./price.ts";
import { nameAction } from "./receipt.ts";

/**
 * Stands between the browser and the site: what lasts is sent only if the planner has declared it, code finds nothing against
 * it, the judge agrees that the task asks for it, and the people who wanted to be asked have approved. Everything else that may
 * change something is stopped, with the page as it was, unless it is clearly harmless.
 */
export class Gate implements CallGate {
  readonly #options: AgreementOptions;
  readonly #agreement: Agreement;
  #current: CurrentAction | null = null;
  #objection: HeldBack | null = null;
  /** Of a request that left after its action was over. The planner hears of it after the next one, or the run is not verified. */
  #late: HeldBack | null = null;
  #hasHeldCommit = false;
  /** Kinds of requests that belonged to a commit, were held back after its action was over, and were not sent since. */
  readonly #unsent = new Set<string>();
  #isClosed = false;
  readonly #commits: Commit[] = [];
  readonly #readsAsQuestion: boolean;
  /** Kinds of lasting requests that a recipe has sent. A model that takes over must not send them again. */
  readonly #replayed = new Set<string>();
  /** Requests that leave nothing behind: searches and the like, and what pages send by themselves. */
  readonly #passing = new Set<string>();
  /** Requests that were agreed to as something that lasts. */
  readonly #agreed = new Set<string>();
  /** Kinds of requests that pages have sent by themselves. */
  readonly #ofPages = new Set<string>();
  readonly #polling = new Polling();
  /** Pages that the run has acted on, and kinds of requests that were stopped there. */
  readonly #acted = new Set<string>();
  readonly #stopped = new Set<string>();
  readonly #entered: string[] = [];
  readonly #entries = new Entries();
  readonly #askedAbout = new AskedAbout();
  /** Those of earlier actions: the page does not show yet what the present one enters. */
  #earlier: readonly Entry[] = [];
  /** Whether the action has sent the entries for good. */
  #hasSentEntries = false;
  readonly #quantities: number[] = [];
  readonly #searched: string[] = [];
  /** Where the run has chosen something on the site, or what. */
  readonly #chosen: (ActedPage | string)[] = [];

  constructor(options: AgreementOptions) {
    this.#options = options;
    this.#agreement = new Agreement(options);
    const { prompt } = options.task;
    this.#readsAsQuestion = onlyAsks(withoutQuotedText(prompt)) || isForeignQuestion(prompt);
  }

  /** Whether the task only asks for something. */
  get #isQuestion(): boolean {
    return this.#readsAsQuestion || this.#options.direction.isQuestion;
  }

  /** Whether nothing may be sent by this element: a question may still say what to click on the way to its answer. */
  #onlyAsksAt(label: string): boolean {
    const { task, direction } = this.#options;
    const isNamed = direction.isExplicit || asksToClick(task.prompt, label);
    return this.#isQuestion && (!isNamed || SHOWS.test(label));
  }

  /** What was sent with agreement, in order. */
  get commits(): readonly Commit[] {
    return this.#commits;
  }

  /** Whether something that was declared was held back: with nothing sent at all, or without the planner's knowledge. */
  get hasHeldBack(): boolean {
    const hasSentNothing = this.#hasHeldCommit && !this.#isQuestion && this.#commits.length === 0;
    return hasSentNothing || this.#unsent.size > 0 || this.#late !== null;
  }

  /** Whether a request was recognised as one that leaves nothing behind. */
  isLookup({ method, url, bodyHash }: NetworkRecord): boolean {
    const key = toKey(method, url, bodyHash);
    return this.#passing.has(key) && !this.#agreed.has(key);
  }

  /** From here on, the action is answerable for what the page sends. */
  async admit(call: ActionCall, observation: Observation, signal: AbortSignal): Promise<void> {
    const effect = ACTIONS.get(call.action)?.effect ?? "mutate";
    if (effect === "read") return;
    this.#objection = null;
    const page = new ActedPage(call, observation);
    const isActing = effect === "mutate";
    this.#entries.look(page);
    this.#earlier = this.#entries.all;
    this.#noteEntry(call, page);
    this.#hasSentEntries = false;
    const commit = isActing && !this.#onlyAsksAt(page.label) ? await this.#agree(call, page, signal) : null;
    if (isActing) {
      this.#askedAbout.note(page);
      this.#chosen.push(page);
      this.#acted.add(withoutFragment(observation.url));
      this.#polling.reset();
    }
    this.#current = { call, page, isActing, commit, documents: new Set(), isOver: false };
  }

  end(after: Observation): HeldBack | null {
    const current = this.#current;
    if (current !== null) {
      current.isOver = true;
      if (current.isActing) this.#acted.add(withoutFragment(after.url));
      const { commit, page } = current;
      if (commit !== null && commit.requests.length > 0) {
        commit.reference ??= findReference(after, page.observation);
      }
      // A form that is shown again was not taken.
      if (this.#hasSentEntries && withoutFragment(after.url) !== withoutFragment(page.observation.url)) {
        this.#entries.clear();
      }
    }
    const objection = this.#objection ?? this.#late;
    this.#objection = null;
    this.#late = null;
    return objection;
  }

  /** The run is over. What was reserved and not sent is not sent any more. */
  async close(): Promise<void> {
    this.#isClosed = this.#agreement.isOpen;
    await this.#agreement.drop();
  }

  /** Decides at once about a request that leaves the browser. */
  readonly decide = (request: HeldRequest): "pass" | "stop" => {
    if (this.#isClosed && isWrite(request)) return "stop";
    const objection = isWrite(request) ? this.#objectToWrite(request) : this.#objectToRead(request);
    if (objection === null) return "pass";
    const current = this.#current;
    // What a page does by itself is stopped without a word: no action has failed by it.
    if (current === null || this.#isOfPage(request)) return "stop";
    if (isWrite(request)) this.#stopped.add(readOperation(request).kind);
    if (this.#isLate(request, current)) this.#reportLate(request, objection, current);
    else this.#report(request, objection, current);
    return "stop";
  };

  /** Some pages send what was done a few seconds later. */
  #reportLate(request: HeldRequest, why: string, { commit }: CurrentAction): void {
    const isAgreed = commit?.isFinal === true;
    if (why === REPEATED || !(isAgreed || why === UNDECLARED)) return;
    if (isAgreed) this.#unsent.add(readOperation(request).kind);
    const message = `${request.method} ${redactUrl(request.url)} was held back after the action before this one. ${why}`;
    this.#late = { message, fails: "never" };
  }

  #report({ method, url, resourceType }: HeldRequest, why: string, { commit }: CurrentAction): void {
    const isMinor = why === UNDECLARED || why === REPEATED || why === UNRECORDED;
    const minor = why === ONLY_ASKS ? "never" : isMinor ? "without change" : "always";
    const fails = resourceType === "document" ? "always" : minor;
    if (commit !== null) this.#hasHeldCommit = true;
    if (this.#objection !== null && (fails !== "always" || this.#objection.fails === "always")) return;
    const message = `${method} ${redactUrl(url)} was held back, and the page is as it was. ${why}`;
    this.#objection = { message, fails };
  }

  async #agree(call: ActionCall, page: ActedPage, signal: AbortSignal): Promise<Commit | null> {
    // Confirming is part of what the action before it has declared.
    if (call.action === "dialog" && call.commit === undefined) return this.#current?.commit ?? null;
    const named = this.#options.direction.isExplicit ? await nameAction(call, page) : null;
    const said = call.commit ?? named;
    if (said === null) return null;
    const earlier = this.#commits.filter(({ isFinal }) => isFinal).map(({ sentence }) => sentence);
    const sentence = toOneLine(said, MAX_SENTENCE);
    const other = this.#askedAbout.findOther(page);
    const declared = { sentence, call, page, other, asked: this.#asked, entries: this.#earlier, earlier, signal };
    return await this.#agreement.agree(declared);
  }

  get #asked(): Asked {
    return {
      task: this.#options.task.prompt,
      chosen: () => this.#chosen.flatMap((choice) => (typeof choice === "string" ? [choice] : choice.nameChoice())),
      entered: this.#entered,
      quantities: this.#quantities,
    };
  }

  #noteEntry(call: ActionCall, page: ActedPage): void {
    this.#entries.note(call, page);
    const { action, input } = call;
    const { node, isSearch } = page;
    const texts = [input["text"], input["options"], input["with"]].flat();
    const entered = texts.filter((text): text is string => typeof text === "string" && text !== "");
    if (node?.field?.isSecret === true) return;
    this.#entered.push(...entered);
    const isQuantity = QUANTITY.test(node?.field?.key ?? "") || QUANTITY.test(node === null ? "" : labelOf(node));
    if (isQuantity && Number.isInteger(Number(entered[0]))) this.#quantities.push(Number(entered[0]));
    if (action === "fill" && isSearch) this.#searched.push(...entered);
  }

  /** Why a page, or a request that should only read, must not be sent. */
  #objectToRead(request: HeldRequest): string | null {
    const current = this.#current;
    const url = withoutFragment(request.url);
    const isNewPage =
      request.resourceType === "document" && url !== withoutFragment(current?.page.observation.url ?? "");
    if (isNewPage) current?.documents.add(url);
    const verb = findActingVerb(request.url);
    const { task } = this.#options;
    // A page that the task names was asked for.
    if (verb === null || task.prompt.includes(request.url) || task.startUrl === request.url) return null;
    if (this.#onlyAsksAt(current?.page.label ?? "")) return ONLY_ASKS;
    if (current?.commit == null || !this.#isSpokenOf(verb, current, current.commit)) return UNDECLARED_LINK;
    if (isPaidAct(toAct(verb)) && !this.#agreement.mayCost(current.commit)) return UNPRICED;
    this.#keep(current.commit, toSent(request, readOperation(request)));
    return null;
  }

  /** Whether what was agreed to names the verb of a URL. */
  #isSpokenOf(verb: string, { page }: CurrentAction, { sentence, isFinal }: Commit): boolean {
    const { task, direction } = this.#options;
    const spoken = `${direction.isExplicit ? task.prompt : sentence} ${page.label}`;
    const act = toAct(verb);
    return isFinal && (act === null ? spoken.toLowerCase().includes(verb.slice(0, 4)) : speaksOf(act, spoken));
  }

  #objectToWrite(request: HeldRequest): string | null {
    const operation = readOperation(request);
    const moment = this.#describeMoment(this.#current);
    if (this.#isHarmless(request, operation, moment)) return null;
    if (this.#onlyAsksAt(moment.label)) return ONLY_ASKS;
    const current = this.#current;
    if (current === null || this.#isOfPage(request)) {
      return operation.act === null ? null : describeUndeclared(operation.act);
    }
    const { recorded } = this.#options.direction;
    if (recorded !== null && !recorded.includes(shapeOf(request))) return UNRECORDED;
    if (current.commit !== null) return this.#objectToAgreed(request, operation, current, current.commit);
    const isLate = this.#isLate(request, current);
    return objectToUndeclared(request, operation, current, { moment, isLate, commits: this.#commits });
  }

  #isHarmless(request: HeldRequest, operation: Operation, moment: Moment): boolean {
    const key = toKey(request.method, request.url, request.bodyHash);
    if (request.resourceType !== "document") {
      const isOfPage = operation.act === null && this.#isOfPage(request);
      if (isOfPage) this.#passing.add(key);
      if (isOfPage && isReplacing(request)) return true;
      if (isOfPage || this.#isPoll(request, operation, moment)) this.#ofPages.add(operation.kind);
      if (this.#ofPages.has(operation.kind)) return true;
    }
    const harmless = explainHarmless(request, operation, moment);
    if (harmless === LOOKS_UP) this.#passing.add(key);
    return harmless !== null;
  }

  #isPoll(request: HeldRequest, operation: Operation, { entered }: Moment): boolean {
    const isIdle = this.#current?.isOver === true && operation.act === null;
    return isIdle && this.#polling.isPoll(request, operation, entered);
  }

  /** What every visit sends. */
  #isOfPage(request: HeldRequest): boolean {
    return isOfPage(request, this.#current) && !this.#isDelayed(request, this.#current);
  }

  /** Whether the action that may have caused it is over. */
  #isLate(request: HeldRequest, current: CurrentAction): boolean {
    return current.isOver || this.#isDelayed(request, current);
  }

  /** Whether an earlier action may have left it to be sent: scrolling, or opening another page, does not cause it. */
  #isDelayed(request: HeldRequest, current: CurrentAction | null): boolean {
    const from = withoutFragment(request.from ?? "");
    if (current === null || current.isActing || current.documents.has(from) || !this.#acted.has(from)) return false;
    return isReplacing(request) || (isWrite(request) && this.#stopped.has(readOperation(request).kind));
  }

  /** Why a request does not belong to the commit that was agreed to. */
  #objectToAgreed(
    request: HeldRequest,
    operation: Operation,
    { page, call }: CurrentAction,
    commit: Commit,
  ): string | null {
    const { label, order, node } = page;
    // A link that was taken for one that opens a page, so that nobody was asked.
    if (!commit.isFinal && node?.role === "link" && this.#agreement.isApprovalWanted) return UNDECLARED_LINK;
    const act = withoutCheckout(operation, label);
    const asked = this.#asked;
    const isPaid = act === "buy" || act === "book";
    const objection =
      (act === null ? null : this.#objectToAct(act, label, commit)) ??
      (isPaidAct(act) && !this.#agreement.mayCost(commit) ? UNPRICED : null) ??
      (isPaid ? findExcess(order, asked) : null) ??
      (isPaid ? this.#findOther(page) : null) ??
      findSwapped(operation, order, asked);
    if (objection !== null) return objection;
    const sent = toSent(request, operation);
    if (this.#isRepeated(sent, act, commit)) return REPEATED;
    this.#keep(commit, sent);
    if (commit.isFinal && sendsEntries(act ?? findLabelledAct(label), label)) this.#hasSentEntries = true;
    if (call.action === "click") this.#chosen.push(label);
    return null;
  }

  #findOther(page: ActedPage): string | null {
    const other = findOther(page, this.#earlier);
    return other && this.#options.secrets.hide(other);
  }

  #keep(commit: Commit, sent: SentRequest): void {
    commit.requests.push(sent);
    this.#unsent.delete(sent.kind);
    if (commit.isFinal) this.#agreed.add(toKey(sent.method, sent.url, sent.bodyHash));
    if (this.#options.direction.recorded !== null && commit.isFinal) this.#replayed.add(sent.kind);
    if (!this.#commits.includes(commit)) this.#commits.push(commit);
    this.#agreement.end(commit);
  }

  /** One agreement is for one order: a page that sends it twice, or a planner that does, would buy twice. */
  #isRepeated({ method, kind, content }: SentRequest, act: Act | null, commit: Commit): boolean {
    if (method !== "POST" || !commit.isFinal) return false;
    const { direction } = this.#options;
    if (direction.recorded === null && this.#replayed.has(kind)) return true;
    if (act === "buy" && commit.requests.some((each) => each.kind === kind)) return true;
    const earlier = direction.isExplicit ? [commit] : this.#commits.filter(({ isFinal }) => isFinal);
    return earlier.some(({ requests }) => requests.some((each) => each.kind === kind && each.content === content));
  }

  /** Why an act that the request is named after is not what was agreed to. */
  #objectToAct(act: Act, label: string, { sentence, isFinal }: Commit): string | null {
    const { task } = this.#options;
    const { isExplicit, judge, recorded } = this.#options.direction;
    // The names of acts are English. What was said in another language is for the judge.
    // A recipe sends only what was agreed to when it was learned.
    if (isFinal && (judge !== null || recorded !== null) && !isInEnglish(sentence)) return null;
    const spoken = isExplicit ? `${task.prompt} ${label}` : `${sentence} ${label}`;
    if (!speaksOf(act, spoken)) return describeUndeclared(act);
    // People ask to send something in too many words.
    if (act !== "send" && isEnglish(task.prompt) && !speaksOf(act, task.prompt)) {
      return `It looks as if it would ${ACT_WORDS[act]}, and the task does not ask for that.`;
    }
    if (isFinal || (isExplicit && (asksFor(act, withoutQuotedText(task.prompt)) || asksToPress(act, task.prompt))))
      return null;
    return `It looks as if it would ${ACT_WORDS[act]}. Say so in commit, with what, how much and to whom.`;
  }

  #describeMoment(current: CurrentAction | null): Moment {
    const page = current?.page.describe() ?? NO_PAGE;
    const action = current?.call.action ?? "";
    const isAgreed = current?.commit?.isFinal === true;
    return { ...page, action, isAgreed, entered: this.#entered, searched: this.#searched };
  }
}

const QUANTITY = /^(?:qty|quantity|anzahl|menge|quantité|cantidad|quantità|aantal)(?![\p{L}_-])/iu;
const MAX_SENTENCE = 400;
const NO_PAGE = { label: "", url: "", hasSecretField: false, isSignInPage: false, around: "" };

function toKey(method: string, url: string, bodyHash: string | null): string {
  return `${method} ${withoutFragment(url)} ${bodyHash}`;
}

/** Labels that promise to show something. */
const SHOWS = /^(?:show|see|view|reveal|display|look|check(?! ?out)|find|read|open|more|details?|compare|preview)\b/i;
