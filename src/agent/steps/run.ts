import type { Observation, ObservedNode } from "../../browser/observation/observation.ts";
import { isWrite } from "../../browser/session/network-record.ts";
import type { ExecutionErrorCode, Failure } from "../../contract/execution-error.ts";
import type { ActionCall, ActionReport } from "../actions/action.ts";
import type { MergedPages } from "../extraction/merged-pages.ts";
import { readRecordsAhead } from "../extraction/read-record-sets.ts";
import { isSameDocument } from "../grounding/captured-pages.ts";
import type { Condition, Fact } from "../grounding/claim.ts";
import { containsWords, fold } from "../grounding/names.ts";
import type { Decision, Turn } from "../planner/planner.ts";

/** What running steps asks of the loop: a decision, to let time pass, or to do long work in slices. */
export type Request =
  | Decision
  | { readonly kind: "pause"; readonly milliseconds: number }
  | { readonly kind: "work"; readonly work: Generator<void, void> };

/** Code that asks for actions and continues when they are done. Nothing runs while the browser works. */
export type Running<Result = void> = Generator<Request, Result, Turn>;

/** The steps cannot be carried out. The message is for the person who wrote them. */
export class Stop extends Error {
  readonly failure: Failure;
  readonly code: ExecutionErrorCode;

  constructor(failure: Failure, code: ExecutionErrorCode, reason: string) {
    super(reason);
    this.failure = failure;
    this.code = code;
  }
}

interface Answer {
  /** Null for the row of a list, which says itself what it is. */
  readonly label: string | null;
  readonly text: string;
}

/** The state of a run of steps: the page, what was done, what was found out. */
export class StepsRun {
  /** When the task was given. */
  readonly now: Date;
  readonly conditions: Condition[] = [];
  readonly facts: Fact[] = [];
  /** What was read, each with what it is about. */
  readonly answers: Answer[] = [];
  /** The records that the last `collect` or `read` chose, for `output_schema`. */
  records: MergedPages | null = null;
  /** The field that was filled in last. */
  lastField: ObservedNode | null = null;
  /** What the page said about the last change. */
  notice: string | null = null;
  /** What to enter into the browser's own prompt when it is accepted. */
  dialogText: string | null = null;
  /** Whether anything was sent that may have changed the site. */
  hasWritten = false;
  /** Put before each line of the answer: what the current entry of a `for_each` is called. */
  prefix = "";
  /** The name of what the steps clicked last. */
  lastOpened: string | null = null;
  /** The page before the last action in it, until its effect was awaited. Null where the action loaded another document. */
  #unseen: Observation | null = null;
  /** What the steps chose by name: URLs, names of elements, values. */
  readonly #chosen: string[] = [];
  /** What the steps opened: names of elements, and the ends of URLs. */
  readonly #opened = new Set<string>();
  #turn: Turn;

  /** `startUrl`: the URL that the caller gave. */
  constructor(turn: Turn, startUrl: string | null = null, now = new Date()) {
    this.#turn = turn;
    this.now = now;
    this.#choose([startUrl]);
    this.#open([startUrl]);
    this.#noteFailures();
  }

  #noteFailures(): void {
    for (const { isNavigation, isFirstParty, resourceType, method, status, failure, url } of this.#turn.reports.flatMap(
      ({ events }) => events.requests,
    )) {
      if (isNavigation) this.failedRequest = null;
      // HEAD and OPTIONS only ask what the server can do.
      const isData = (resourceType === "fetch" || resourceType === "xhr") && method !== "HEAD" && method !== "OPTIONS";
      const isOfPage = isFirstParty && isData;
      if (isOfPage && (failure !== null || (status ?? 0) >= 400)) this.failedRequest = url.split("?")[0] ?? url;
    }
  }

  get observation(): Observation {
    return this.#turn.observation;
  }

  /** A request of the page itself that failed since it was opened: what it shows may not be all. Null when none did. */
  failedRequest: string | null = null;

  /** What was computed from one observation. */
  #computed = { from: null as Observation | null, results: new Map<string, unknown>() };

  /** Computes something from the current page once: on a large page it takes long. */
  once<Result>(what: string, compute: (observation: Observation) => Result): Result {
    const { observation } = this;
    if (this.#computed.from !== observation) this.#computed = { from: observation, results: new Map() };
    const { results } = this.#computed;
    if (!results.has(what)) results.set(what, compute(observation));
    return results.get(what) as Result;
  }

  /** Performs actions and returns the report of the last one. */
  *act(calls: readonly ActionCall[], why: string): Running<ActionReport> {
    for (const { action, input } of calls) {
      if (action === "click" && typeof input["label"] === "string") this.lastOpened = input["label"];
      this.#choose([input["url"], input["label"], input["text"], input["options"]].flat());
      this.#open([input["url"], input["label"]]);
    }
    const before = this.observation;
    this.#turn = yield { kind: "act", calls, why };
    if (calls.some(({ action }) => action !== "look")) this.#unseen = this.#hasLoadedDocument() ? null : before;
    const report = this.#turn.reports.at(-1);
    if (report === undefined)
      throw new Stop("internal_error", "NO_REPORT", "An action was requested and nothing was reported.");
    this.#noteFailures();
    this.hasWritten ||= this.#turn.reports.some(({ events }) => events.requests.some((request) => isWrite(request)));
    return report;
  }

  #hasLoadedDocument(): boolean {
    const { observation, reports } = this.#turn;
    return reports.some(({ events }) =>
      events.requests.some(({ isNavigation, url }) => isNavigation && isSameDocument(url, observation.url)),
    );
  }

  /** The state of the page that stayed the same however long it was awaited. */
  #awaited: string | null = null;

  noteAwaited(): void {
    this.#awaited = this.observation.fingerprint;
  }

  hasAwaited(): boolean {
    return this.#awaited === this.observation.fingerprint;
  }

  /** The page before the last action, if its effect was not awaited yet. */
  takeUnseen(): Observation | null {
    const before = this.#unseen;
    this.#unseen = null;
    return before;
  }

  /** Performs an action that must work. */
  *perform(call: ActionCall, what: string): Running<Effect> {
    const before = this.observation;
    const report = yield* this.act([call], `${what}.`);
    demandSuccess(report, what, this);
    return { what, before, report };
  }

  #choose(texts: readonly unknown[]): void {
    for (const text of texts) if (typeof text === "string") this.#chosen.push(toWords(text));
  }

  #open(texts: readonly unknown[]): void {
    for (const text of texts) {
      if (typeof text !== "string") continue;
      const [last = ""] = URL.canParse(text)
        ? text
            .split(/[/#?&=]/)
            .filter(Boolean)
            .slice(-1)
        : [text];
      this.#opened.add(toWords(last));
    }
  }

  /** Whether the steps, or the URL they were given, have chosen something with this name in it. */
  hasChosen(name: string): boolean {
    return this.#chosen.some((text) => containsWords(text, toWords(name)));
  }

  /** Whether the steps have opened something of exactly this name, or the URL they were given ends in it. */
  hasOpened(name: string): boolean {
    const words = toWords(name);
    return words !== "" && this.#opened.has(words);
  }

  *pause(milliseconds: number): Running {
    this.#turn = yield { kind: "pause", milliseconds };
  }

  /** Reads the records of a page ahead. On a large page it takes long, so other work of the process gets its turn, also before. */
  *readAhead({ root }: Pick<Observation, "root">): Running {
    this.#turn = yield { kind: "work", work: readRecordsAhead(root) };
  }

  /** Looks at the page again. */
  *look(why: string): Running {
    yield* this.act([{ action: "look", input: {} }], why);
  }

  /** Pages show things late: tries again after each delay, as long as nothing is found. */
  *retry<Found>(
    attempt: () => Found,
    isFound: (found: Found) => boolean,
    delaysMs: readonly number[] = [1500],
  ): Running<Found> {
    let found = attempt();
    for (const delayMs of delaysMs) {
      if (isFound(found)) break;
      yield* this.pause(delayMs);
      yield* this.look("Wait for the page to show it.");
      found = attempt();
    }
    return found;
  }

  /** Ambiguous before anything was sent: the prompt has to change. Otherwise the site is not as the steps expect. */
  stop(code: ExecutionErrorCode, reason: string): Stop {
    const isRefusal = code === "AMBIGUOUS" && !this.hasWritten;
    return new Stop(isRefusal ? "unsupported_prompt" : "goal_unreachable", code, reason);
  }

  note(about: string, holds = true): void {
    this.conditions.push({ kind: "step", holds, about });
  }

  answer(text: string, label: string | null = null): void {
    const about = [this.prefix, label ?? ""].filter(Boolean).join(", ");
    this.answers.push({ label: about === "" ? null : about, text });
  }
}

/** The words of a text or a URL. */
function toWords(text: string): string {
  const url = URL.canParse(text) ? text.replace(/^\w+:\/\/[^/]+/, "").replaceAll("+", " ") : text;
  return fold(decode(url).replace(/[^\p{L}\p{N}]+/gu, " "));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An action that worked: what was done, beginning with a regular verb, with the page before it and the report about it. */
export interface Effect {
  readonly what: string;
  readonly before: Observation;
  readonly report: ActionReport;
}

/** Throws unless the action worked. */
export function demandSuccess({ failure }: ActionReport, what: string, run: StepsRun): void {
  if (failure === null) return;
  if (failure.kind === "policy") throw new Stop("policy_violation", "POLICY_VIOLATION", failure.message);
  if (failure.kind === "navigation_failed") throw new Stop("site_error", "SITE_ERROR", failure.message);
  throw run.stop(
    failure.kind.toUpperCase() as Uppercase<typeof failure.kind>,
    `${what} did not work: ${failure.message}`,
  );
}
