import { createHash } from "node:crypto";
import { labelOf, type Observation, walk } from "../../browser/observation/observation.ts";
import { findActingVerb } from "../../browser/session/acting-url.ts";
import { isWrite, type NetworkRecord } from "../../browser/session/network-record.ts";
import { hashBody } from "../../browser/session/sent-before.ts";
import type { HeldRequest } from "../../browser/session/write-interceptor.ts";
import type { CostMeter } from "../../models/usage.ts";
import { type ActionCall, ActionFailed, type CallGate, type HeldBack } from "../actions/action.ts";
import { ACTIONS } from "../actions/catalogue.ts";
import { describeCall, toPublicCall } from "../actions/public-call.ts";
import type { Task } from "../grounding/claim.ts";
import { onlyAsks, withoutQuotedText } from "../grounding/english-words.ts";
import { readText } from "../grounding/page-text.ts";
import { isEnglish } from "../grounding/prose.ts";
import { redactUrl, toOneLine } from "../safe-text.ts";
import type { TaskSecrets } from "../task-secrets.ts";
import type { Judge } from "../verifier/judge.ts";
import { findExcess, findSwapped } from "./compare-with-task.ts";
import { explainHarmless, LOOKS_UP, type Moment } from "./harmless.ts";
import {
  type Act,
  asksFor,
  findLabelledAct,
  type Operation,
  onlyPrepares,
  readOperation,
  speaksOf,
  toAct,
} from "./operation.ts";
import type { Amount, InteractionRequest, People } from "./people.ts";
import { type OrderReading, readOrder } from "./read-order.ts";

interface GateOptions {
  readonly task: Task;
  readonly secrets: TaskSecrets;
  /** Whether the task itself names each action, as steps do: then every action is declared by it. */
  readonly isExplicit: boolean;
  /** Whether the task asks for no change at all, as far as the judge can tell from its words. */
  readonly isQuestion: boolean;
  readonly judge: Judge | null;
  readonly people: People | null;
  readonly meter: CostMeter;
  /** Keeps a screenshot of the page; null when there is none. */
  readonly takePicture: () => Promise<string | null>;
  /** The page as it is now. */
  readonly observe: () => Promise<Observation>;
}

/** Something lasting that was agreed to, and what was sent for it. */
export interface Commit {
  /** What it is, in the planner's words. */
  readonly sentence: string;
  readonly label: string;
  readonly amount: Amount | null;
  readonly recipient: string | null;
  /** Whether it lasts, as opposed to filling a cart or going on in a form. */
  readonly isFinal: boolean;
  readonly requests: readonly SentRequest[];
  /** The site's own number for it; null when the page states none. */
  readonly reference: string | null;
}

interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly bodyHash: string | null;
  /** What it does and what it carries, without tokens; null for one that should only read. */
  readonly kind: string | null;
  readonly content: string;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type OpenCommit = Mutable<Omit<Commit, "requests">> & { requests: SentRequest[] };

/** The action whose consequences are held, until the next one begins. */
interface CurrentAction {
  readonly call: ActionCall;
  readonly label: string;
  /** The page that it acts on. */
  readonly url: string;
  /** Whether it acts on a page, and so may send something. */
  readonly isActing: boolean;
  readonly order: OrderReading;
  readonly moment: Pick<Moment, "hasSecretField" | "isSignInPage" | "around">;
  commit: OpenCommit | null;
  /** Pages that were opened by it: what they send is not what the action sends. */
  readonly documents: Set<string>;
  isOver: boolean;
}

/**
 * Stands between the browser and the site: what lasts is sent only if the planner has declared it, code finds nothing against
 * it, the judge agrees that the task asks for it, and the people who wanted to be asked have approved. Everything else that may
 * change something is stopped, with the page as it was, unless it is clearly harmless.
 */
export class Gate implements CallGate {
  readonly #options: GateOptions;
  readonly #isQuestion: boolean;
  /** The same for a task that names every action: it may say what to click, and still only ask. */
  readonly #onlyAsks: boolean;
  #hasHeldCommit = false;
  readonly #lookups: SentRequest[] = [];
  #current: CurrentAction | null = null;
  #objection: HeldBack | null = null;
  readonly #agreed = new Set<string>();
  readonly #commits: OpenCommit[] = [];
  /** Kinds of requests that pages have sent by themselves. */
  readonly #ofPages = new Set<string>();
  readonly #entered: string[] = [];
  readonly #searched: string[] = [];
  /** What the run has chosen on the site: names of items and pages. */
  readonly #chosen: string[] = [];

  constructor(options: GateOptions) {
    this.#options = options;
    const { task, isExplicit, isQuestion } = options;
    this.#onlyAsks = onlyAsks(withoutQuotedText(task.prompt));
    this.#isQuestion = !isExplicit && (isQuestion || this.#onlyAsks);
  }

  /** Whether something that was declared was held back, and nothing was sent since: then nothing has changed. */
  get hasSentNothing(): boolean {
    return this.#hasHeldCommit && !this.#isQuestion && this.commits.length === 0;
  }

  /** Whether a request was recognised as looking something up. */
  isLookup({ method, url, bodyHash }: NetworkRecord): boolean {
    return this.#lookups.some(
      (each) => each.method === method && each.url === withoutFragment(url) && each.bodyHash === bodyHash,
    );
  }

  /** What was sent with agreement, in order. */
  get commits(): readonly Commit[] {
    return this.#commits.filter(({ requests }) => requests.length > 0);
  }

  /**
   * Before an action: agrees to what it declares, or throws ActionFailed with what must be put right. From here on the
   * action is answerable for what the page sends.
   */
  async admit(call: ActionCall, observation: Observation, signal: AbortSignal): Promise<void> {
    const effect = ACTIONS.get(call.action)?.effect ?? "mutate";
    if (effect === "read") return;
    this.#objection = null;
    const node = walk(observation.root).find(({ node: { ref } }) => ref !== null && ref === call.input["ref"]);
    const label = node === undefined ? String(call.input["label"] ?? call.input["key"] ?? "") : labelOf(node.node);
    const current: CurrentAction = {
      call,
      label,
      url: withoutFragment(observation.url),
      isActing: effect === "mutate",
      order: readOrder(observation),
      moment: describeSurroundings(observation, node?.ancestors ?? []),
      commit: null,
      documents: new Set(),
      isOver: false,
    };
    this.#noteEntry(call, node?.node.role ?? "", label, node?.node.field?.isSecret === true);
    const isDeclared = this.#options.isExplicit && current.isActing;
    const sentence = call.commit ?? (isDeclared ? describeCall(toPublicCall(call, observation)) : null);
    // Confirming is part of what the action before it has declared.
    if (call.action === "dialog" && call.commit === undefined) current.commit = this.#current?.commit ?? null;
    else if (sentence !== null && !this.#isQuestion) {
      current.commit = await this.#agree(toOneLine(sentence, 400), current, observation, signal);
    }
    // In a cart, everything has a row: what is removed there was not chosen.
    if (current.order.items.length === 0) this.#chosen.push(...nameChoice(observation, node));
    this.#current = current;
  }

  /** After an action: what it set off has settled. Returns what was held back; null when nothing was. */
  end(after: Observation): HeldBack | null {
    const current = this.#current;
    if (current !== null) {
      current.isOver = true;
      if (current.commit !== null) current.commit.reference ??= findReference(after, current.order.text);
    }
    const objection = this.#objection;
    this.#objection = null;
    return objection;
  }

  /** Decides at once about a request that leaves the browser. */
  readonly decide = (request: HeldRequest): "pass" | "stop" => {
    const objection = isWrite(request) ? this.#objectToWrite(request) : this.#objectToRead(request);
    if (objection === null) return "pass";
    const current = this.#current;
    // What a page does by itself is stopped without a word: no action has failed by it.
    if (current?.isActing === true && !current.isOver && !this.#isOfPage(request, current))
      this.#report(request, objection);
    return "stop";
  };

  #report({ method, url, resourceType }: HeldRequest, why: string): void {
    const isMinor = resourceType !== "document" && (why === ONLY_ASKS || why === UNDECLARED);
    if (this.#current?.commit != null) this.#hasHeldCommit = true;
    if (this.#objection !== null && (isMinor || !this.#objection.isMinor)) return;
    const message = `${method} ${redactUrl(url)} was held back, and the page is as it was. ${why}`;
    this.#objection = { message, isMinor };
  }

  /** Why a page, or a request that should only read, must not be sent. */
  #objectToRead(request: HeldRequest): string | null {
    const current = this.#current;
    const url = withoutFragment(request.url);
    if (request.resourceType === "document" && url !== current?.url) current?.documents.add(url);
    const verb = findActingVerb(request.url);
    if (verb === null) return null;
    const { task, isExplicit } = this.#options;
    // A page that the task names was asked for.
    if (task.prompt.includes(request.url) || task.startUrl === request.url) return null;
    if (this.#isQuestion) return ONLY_ASKS;
    if (current?.commit == null) return UNDECLARED_LINK;
    const act = toAct(verb);
    const { commit, label } = current;
    const spoken = `${isExplicit ? task.prompt : commit.sentence} ${label}`;
    const isSpoken = act === null ? spoken.toLowerCase().includes(verb.slice(0, 4)) : speaksOf(act, spoken);
    if (!commit.isFinal || !isSpoken) return UNDECLARED_LINK;
    this.#keep(commit, toSent(request));
    return null;
  }

  #objectToWrite(request: HeldRequest): string | null {
    const operation = readOperation(request);
    const current = this.#current;
    const isDocument = request.resourceType === "document";
    const isOfPage = this.#isOfPage(request, current);
    if (isOfPage && operation.act === null && !isDocument) {
      this.#ofPages.add(operation.kind);
      return null;
    }
    if (this.#ofPages.has(operation.kind) && !isDocument) return null;
    const moment = this.#describeMoment(current);
    const harmless = explainHarmless(request, operation, moment);
    if (harmless === LOOKS_UP) this.#lookups.push(toSent(request));
    if (harmless !== null) return null;
    if (this.#isQuestion || (this.#onlyAsks && SHOWS.test(moment.label))) return ONLY_ASKS;
    if (current === null || isOfPage) return operation.act === null ? null : describeUndeclared(operation.act);
    if (current.commit !== null) return this.#objectToAgreed(request, operation, current, current.commit);
    if (!isDocument && isAutosave(current, operation, moment)) return null;
    // Something that a page does later by itself, such as a timer, is stopped only if it seems to count.
    if (current.isOver && operation.act === null) return null;
    return operation.act === null ? UNDECLARED : describeUndeclared(operation.act);
  }

  /** Before anything is done, and on a page that has just been opened, pages send only what every visit sends. */
  #isOfPage({ from }: HeldRequest, current: CurrentAction | null): boolean {
    if (current === null || !current.isActing) return true;
    return from !== null && current.documents.has(withoutFragment(from));
  }

  /** Why a request does not belong to the commit that was agreed to. */
  #objectToAgreed(
    request: HeldRequest,
    operation: Operation,
    { label, order, call }: CurrentAction,
    commit: OpenCommit,
  ): string | null {
    const objection =
      this.#objectToAct(toStrictAct(operation, label), label, commit) ?? this.#objectToValues(operation, order);
    if (objection !== null) return objection;
    const sent = toSent(request, operation);
    if (this.#isRepeated(sent, operation, commit)) {
      return "The same was sent before. Look at what became of it first.";
    }
    this.#keep(commit, sent);
    if (call.action === "click") this.#chosen.push(label);
    return null;
  }

  #keep(commit: OpenCommit, sent: SentRequest): void {
    commit.requests.push(sent);
    if (!this.#commits.includes(commit)) this.#commits.push(commit);
    // What is done again must be agreed to again.
    this.#agreed.clear();
  }

  /** One agreement is for one order: a page that sends it twice, or a planner that does, would buy twice. */
  #isRepeated({ kind, content }: SentRequest, { act }: Operation, commit: OpenCommit): boolean {
    if (kind === null || !kind.startsWith('["POST"')) return false;
    if (act === "buy" && commit.requests.some((each) => each.kind === kind)) return true;
    const earlier = this.#options.isExplicit ? [commit] : this.#commits.filter(({ isFinal }) => isFinal);
    return (
      commit.isFinal &&
      earlier.some(({ requests }) => requests.some((each) => each.kind === kind && each.content === content))
    );
  }

  /** Why an act that the request is named after is not what was agreed to. */
  #objectToAct(act: Act | null, label: string, { sentence, isFinal }: OpenCommit): string | null {
    if (act === null) return null;
    const { task, isExplicit, judge } = this.#options;
    // The names of acts are English. What was said in another language is for the judge.
    if (isFinal && judge !== null && !isEnglish(sentence)) return null;
    const spoken = isExplicit ? `${task.prompt} ${label}` : `${sentence} ${label}`;
    if (!speaksOf(act, spoken)) return describeUndeclared(act);
    // People ask to send something in too many words.
    if (act !== "send" && isEnglish(task.prompt) && !speaksOf(act, task.prompt)) {
      return `It looks as if it would ${ACT_WORDS[act]}, and the task does not ask for that.`;
    }
    if (isFinal || (isExplicit && asksFor(act, withoutQuotedText(task.prompt)))) return null;
    return `It looks as if it would ${ACT_WORDS[act]}. Say so in commit, with what, how much and to whom.`;
  }

  #objectToValues(operation: Operation, order: OrderReading): string | null {
    const asked = { task: this.#options.task.prompt, chosen: this.#chosen, entered: this.#entered };
    const isPaid = operation.act === "buy" || operation.act === "book";
    return (isPaid ? findExcess(order, asked) : null) ?? findSwapped(operation, order, asked);
  }

  #describeMoment(current: CurrentAction | null): Moment {
    return {
      label: current?.label ?? "",
      action: current?.call.action ?? "",
      entered: this.#entered,
      searched: this.#searched,
      url: current?.url ?? "",
      ...(current?.moment ?? { hasSecretField: false, isSignInPage: false, around: "" }),
    };
  }

  #noteEntry({ action, input }: ActionCall, role: string, label: string, isSecret: boolean): void {
    const texts = [input["text"], input["options"], input["with"], input["replace"]].flat();
    const entered = texts.filter((text): text is string => typeof text === "string" && text !== "");
    if (entered.length === 0 || isSecret) return;
    this.#entered.push(...entered);
    if (action === "fill" && (role === "searchbox" || /\bsearch\b/i.test(label))) this.#searched.push(...entered);
  }

  async #agree(
    sentence: string,
    current: CurrentAction,
    observation: Observation,
    signal: AbortSignal,
  ): Promise<OpenCommit> {
    const { task, judge, isExplicit } = this.#options;
    const { label, order, call } = current;
    const act =
      findLabelledAct(label) ?? (isExplicit ? null : findLabelledAct(sentence.split(/\s+/).slice(0, 3).join(" ")));
    const isPrepared = onlyPrepares(label) && (isExplicit || onlyPrepares(sentence));
    const isEntry = ENTRIES.has(call.action) && call.commit === undefined;
    const isFinal = !isPrepared && !isEntry;
    const commit: OpenCommit = {
      sentence,
      label,
      amount: order.total,
      recipient: order.recipient,
      isFinal,
      requests: [],
      reference: null,
    };
    if (!isFinal) return commit;
    if (act === "buy" || act === "book") {
      const excess = findExcess(order, { task: task.prompt, chosen: this.#chosen, entered: this.#entered });
      if (excess !== null)
        throw new ActionFailed("commit", `Not done, nothing was sent. ${excess} Put it right first.`);
    }
    const key = createHash("sha256")
      .update(JSON.stringify([sentence, label, order.text]))
      .digest("hex");
    if (this.#agreed.has(key)) return commit;
    if (judge !== null) await this.#askJudge(judge, commit, call, observation, signal);
    if (await this.#askPeople(commit, order, observation, call, signal)) {
      const now = readOrder(await this.#options.observe());
      if (describeOrder(now) !== describeOrder(order)) {
        throw new ActionFailed(
          "commit",
          "Not done, nothing was sent: the page has changed since it was approved. Look at it again.",
        );
      }
    }
    this.#agreed.add(key);
    return commit;
  }

  async #askJudge(
    judge: Judge,
    { sentence }: OpenCommit,
    call: ActionCall,
    observation: Observation,
    signal: AbortSignal,
  ): Promise<void> {
    const { task, meter } = this.#options;
    const trial = {
      task,
      sentence,
      action: describeCall(toPublicCall(call, observation)),
      page: observation,
      values: readOrder(observation).values,
      earlier: this.commits.filter(({ isFinal }) => isFinal).map((commit) => commit.sentence),
    };
    const opinion = await judge.judgeCommit(trial, { meter, signal });
    if (opinion?.agreed === true) return;
    const reason = opinion === null ? "Its judge gave no opinion." : toOneLine(opinion.reason, 300);
    throw new ActionFailed(
      "commit",
      `Not done, nothing was sent: "${sentence}" is not what the task asks for. ${reason} Put it right first, or leave it.`,
    );
  }

  async #askPeople(
    { sentence, amount, recipient }: OpenCommit,
    { items, values }: OrderReading,
    observation: Observation,
    call: ActionCall,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { people, secrets, takePicture } = this.#options;
    if (people === null || people.approval === "never") return false;
    const node = walk(observation.root).find(({ node: { ref } }) => ref !== null && ref === call.input["ref"])?.node;
    const artifactId = await takePicture();
    const request: InteractionRequest = {
      kind: "approval",
      message: secrets.hide(sentence),
      url: observation.url,
      amount,
      recipient,
      items: items.map(({ name, quantity }) => `${quantity} × ${name}`),
      values: values.map(({ name, value }) => ({ name, value: secrets.hide(value) })),
      options: [],
      isSecret: false,
      picture: artifactId === null ? null : { artifactId, mark: node?.box ?? null },
    };
    const answer = await people.ask(request, signal);
    if (answer.kind === "approved") return true;
    throw new ApprovalRefused(answer.kind === "expired" ? "expired" : "declined", sentence);
  }
}

/** Somebody had to agree and did not. Nothing was sent. */
export class ApprovalRefused extends Error {
  readonly kind: "declined" | "expired";

  constructor(kind: ApprovalRefused["kind"], sentence: string) {
    super(`${kind === "declined" ? "The person declined" : "Nobody approved in time"}: ${sentence}`);
    this.kind = kind;
  }
}

/** Entries do not count by themselves: a page that saves them sends what was entered. */
const ENTRIES: ReadonlySet<string> = new Set(["fill", "edit", "upload"]);

/** A page that saves what was typed while it is typed. */
function isAutosave({ call }: CurrentAction, { act, values }: Operation, { entered }: Moment): boolean {
  if (!ENTRIES.has(call.action) || act !== null || call.input["submit"] === true) return false;
  // While it is typed, a part of the text is sent, or the emptied field.
  const isEntered = (value: string) => entered.some((text) => value.includes(text) || text.startsWith(value));
  return call.action === "upload" || values.some(({ value }) => isEntered(value));
}

const ONLY_ASKS =
  "The task only asks for something, so nothing may be sent to the site except searches. Find the answer in another way, or give up.";
const UNDECLARED =
  "The action did not say what it sends. If the task asks for it, repeat the action with commit: one sentence with what, how much and to whom. Otherwise leave it.";
const UNDECLARED_LINK = `The link seems to change something. ${UNDECLARED}`;

const ACT_WORDS: Record<Act, string> = {
  buy: "buy or order something",
  send: "send or publish something",
  delete: "delete or cancel something",
  subscribe: "subscribe to something",
  book: "book something",
  transfer: "transfer money",
};

function describeUndeclared(act: Act): string {
  return `It looks as if it would ${ACT_WORDS[act]}. ${UNDECLARED}`;
}

function toSent({ method, url, body }: HeldRequest, operation?: Operation): SentRequest {
  const values =
    operation?.values.filter(({ name, value }) => !TOKEN_NAME.test(name) && !TOKEN_VALUE.test(value)) ?? [];
  return {
    method,
    url: withoutFragment(url),
    bodyHash: hashBody(body),
    kind: operation?.kind ?? null,
    content: JSON.stringify(values.map(({ name, value }) => [name, value])),
  };
}

/** Values that differ each time the same is sent. */
const TOKEN_NAME = /token|csrf|nonce|idempotency|request_?id|timestamp|^_|^ts$|^time$/i;
const TOKEN_VALUE = /^(?:[\da-f]{16,}|[\da-f]{8}-[\da-f-]{27}|1[4-9]\d{8,11}|(?=.*\d)(?=.*[A-Za-z])[\w-]{20,})$/i;

/** Going to the checkout by a button of that name is not a purchase yet. */
function toStrictAct({ act, words }: Operation, label: string): Act | null {
  const isOnlyCheckout =
    words.has("checkout") && !["order", "orders", "pay", "purchase", "place"].some((word) => words.has(word));
  return act === "buy" && isOnlyCheckout && /\bcheck ?-?out\b/i.test(label) ? null : act;
}

/** Labels that promise to show something. */
const SHOWS = /^(?:show|see|view|reveal|display|look|check(?! ?out)|find|read|open|more|details?|compare|preview)\b/i;

function describeOrder({ total, items, values }: OrderReading): string {
  return JSON.stringify([total, items, values]);
}

const AROUND: ReadonlySet<string> = new Set([
  "dialog",
  "alertdialog",
  "region",
  "complementary",
  "contentinfo",
  "banner",
]);
const SIGNS_IN = /\b(?:sign|log)[ -]?(?:in|on)\b/i;
const MAX_AROUND = 1_500;

/** What the page says about the place of an action. */
function describeSurroundings(
  { root, title }: Observation,
  ancestors: readonly Observation["root"][],
): CurrentAction["moment"] {
  const box = ancestors.findLast(({ role }) => AROUND.has(role));
  const around = box === undefined ? "" : `${box.name} ${readText(box)}`;
  const headings = [...walk(root)].filter(({ node }) => node.role === "heading").map(({ node }) => readText(node));
  return {
    hasSecretField: walk(root).some(({ node: { field } }) => field?.isSecret === true),
    isSignInPage: [title, ...headings.slice(0, 2)].some((text) => SIGNS_IN.test(text)),
    around: around.length <= MAX_AROUND ? around : "",
  };
}

function withoutFragment(url: string): string {
  return url.split("#")[0] ?? url;
}

const RECORDS: ReadonlySet<string> = new Set(["row", "listitem", "article", "treeitem"]);

/** What an action chooses: the row or card it is in, or else the page. */
function nameChoice(
  { root, title }: Observation,
  visit: { ancestors: readonly Observation["root"][] } | undefined,
): string[] {
  const record = visit?.ancestors.findLast(({ role }) => RECORDS.has(role));
  if (record !== undefined) return [readText(record).slice(0, 500)];
  const headings = [...walk(root)].filter(({ node }) => node.role === "heading").map(({ node }) => readText(node));
  return [title, ...headings.slice(0, 3)];
}

const REFERENCE =
  /\b(?:order|booking|reservation|confirmation|reference|ticket|invoice|receipt|case|transaction)\b[^\w\n]{0,3}(?:(?:no|number|id|code|ref)\b\.?)?[\s:#]{0,4}(?=[\w-]*\d)([A-Z\d][A-Z\d-]{2,30})/gi;

/** A number that the page gives to what was done, and did not show before. */
function findReference({ root }: Observation, before: string): string | null {
  const text = readText(root).slice(0, 20_000);
  const found = [...text.matchAll(REFERENCE)].map(([, reference = ""]) => reference);
  return found.find((reference) => !before.includes(reference.toLowerCase())) ?? null;
}

/** The commit that a recorded request belongs to. */
export function findCommit(commits: readonly Commit[], { method, url, bodyHash }: NetworkRecord): Commit | null {
  const isSame = (sent: SentRequest) => sent.method === method && sent.url === withoutFragment(url);
  const exact = commits.find(({ requests }) => requests.some((sent) => isSame(sent) && sent.bodyHash === bodyHash));
  return exact ?? commits.find(({ requests }) => requests.some(isSame)) ?? null;
}
