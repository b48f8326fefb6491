import { abortable } from "../lib/waiting.ts";
import {
  AttemptFailure,
  type AttemptProblem,
  type ProviderError,
  readStreamedError,
  toProblem,
} from "./attempt-failure.ts";
import { type Capabilities, dropRefusedCapability } from "./capabilities.ts";
import { EVENT_STREAM } from "./guarded-fetch.ts";
import type { CallOptions, FinishPart, LanguageModel } from "./provider-models.ts";
import type { UsageTally } from "./usage.ts";

export interface Sender {
  readonly model: LanguageModel;
  readonly habits: Capabilities;
  /** Waits; ends early when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<unknown>;
  /** From 0 to 1. */
  random(): number;
  /** How long a model that cannot be had is waited for, in one question. */
  readonly patienceMs: number;
}

type SendResult =
  | { readonly outcome: "answered"; readonly answer: RawResponse }
  | { readonly outcome: "failed"; readonly problem: AttemptProblem };

/** Sends until there is an answer, or none is to be had. Each attempt is built to the habits as they are by then. */
export async function sendWithRetries(
  sender: Sender,
  build: () => CallOptions,
  tally: UsageTally,
  signal: AbortSignal,
): Promise<SendResult> {
  const { habits } = sender;
  const before = { ...habits };
  const patience = new RetryBudget(sender.patienceMs);
  let last: AttemptProblem | null = null;
  for (;;) {
    const request = build();
    // A stream that broke may have been broken by something on the way that cannot stream.
    const streamed = habits.streams && last?.kind !== "cut";
    // Out of time while the model is away: it is the model that was missing, not the time.
    if (last !== null && hasTimedOut(signal)) return { outcome: "failed", problem: last };
    const sent = await attempt(sender, request, streamed, tally, signal);
    if (sent.outcome === "answered") return sent;
    last = sent.problem;
    if (dropRefusedCapability(habits, last, hasImages(request))) continue;
    const waitMs = planRetry(last, patience.fail(last), sender.random());
    if (waitMs === null) {
      // What was given up did not help: it was not what the refusal was about.
      if (last.kind === "refused") Object.assign(habits, before);
      return sent;
    }
    patience.wait(waitMs);
    await abortable(sender.sleep(waitMs, signal), signal).catch((error: unknown) => {
      // Before the next attempt it is noticed.
      if (!hasTimedOut(signal)) throw error;
    });
  }
}

/** What has been tried, and for how long: by the monotonic clock, and at least as long as was waited. */
class RetryBudget {
  readonly #patienceMs: number;
  readonly #startedMs = performance.now();
  readonly #counts = new Map<AttemptProblem["kind"], number>();
  #failures = 0;
  #waitedMs = 0;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  fail({ kind }: AttemptProblem): RetryState {
    const likeThis = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, likeThis);
    this.#failures += 1;
    const spentMs = Math.max(this.#waitedMs, performance.now() - this.#startedMs);
    return { failures: this.#failures, likeThis, spentMs, patienceMs: this.#patienceMs };
  }

  wait(ms: number): void {
    this.#waitedMs += ms;
  }
}

function hasTimedOut({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof DOMException && reason.name === "TimeoutError";
}

async function attempt(
  { model }: Sender,
  request: CallOptions,
  streamed: boolean,
  tally: UsageTally,
  signal: AbortSignal,
): Promise<SendResult> {
  signal.throwIfAborted();
  const received: string[] = [];
  tally.countRequest();
  try {
    const answer = await abortable(
      sendOnce(model, { ...request, abortSignal: signal }, streamed, (text) => received.push(text)),
      signal,
    );
    tally.countAnswer(request, answer.usage, () => `${answer.text}${JSON.stringify(answer.calls)}`);
    return { outcome: "answered", answer };
  } catch (error) {
    tally.countBroken(request, received.join(""));
    signal.throwIfAborted();
    const problem = toProblem(error);
    if (problem.kind === "too_long") return { outcome: "answered", answer: TOO_LONG };
    return { outcome: "failed", problem };
  }
}

/** Not a failure of the provider's: the model is told to be brief. */
const TOO_LONG: RawResponse = {
  calls: [],
  text: "",
  finish: "length",
  usage: {
    inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  },
};

function hasImages({ prompt }: CallOptions): boolean {
  return prompt.some(({ content }) => typeof content !== "string" && content.some(({ type }) => type === "file"));
}

/** Half an answer has been paid for: whoever gives nothing else is not asked for ever. */
const MAX_CUTS = 4;
/** One that was silent for minutes will hardly speak at the fourth time. */
const MAX_SILENCES = 2;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** What has been tried for one question. */
interface RetryState {
  readonly failures: number;
  /** How many of them were like the last one. */
  readonly likeThis: number;
  readonly spentMs: number;
  /** How long a model that cannot be had is waited for. */
  readonly patienceMs: number;
}

/** How long to wait before trying again; null when that is of no use. `random` is from 0 to 1. */
function planRetry(problem: AttemptProblem, trials: RetryState, random: number): number | null {
  if (!isRetryable(problem) || hasReachedLimit(problem, trials.likeThis)) return null;
  // A little by chance, so that many who failed together do not come back together.
  const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (trials.failures - 1)) * (1 + random / 2);
  const askedMs = problem.kind === "refused" ? (problem.retryAfterMs ?? 0) : 0;
  const longestMs = Math.max(waitMs, askedMs);
  return trials.spentMs + longestMs > trials.patienceMs ? null : longestMs;
}

function hasReachedLimit({ kind }: AttemptProblem, count: number): boolean {
  return (kind === "silent" && count >= MAX_SILENCES) || (kind === "cut" && count >= MAX_CUTS);
}

/** An empty account answers 429 like a crowded one, but waiting does not fill it. */
export function isOutOfCredit({ status, code, words }: ProviderError): boolean {
  return status === 402 || (status === 429 && /insufficient.?quota|billing|credit balance/i.test(`${code} ${words}`));
}

function isRetryable(problem: AttemptProblem): boolean {
  switch (problem.kind) {
    case "refused":
      return !problem.isFinal && !isOutOfCredit(problem) && isRetryableStatus(problem.status);
    case "unreachable":
      return !/ENOTFOUND|CERT|TLS|SSL/.test(problem.code);
    case "silent":
    case "cut":
      return true;
    case "too_long":
    case "not_a_model":
    case "not_streamed":
      return false;
  }
}

function isRetryableStatus(status: number): boolean {
  return [408, 409, 425, 429].includes(status) || (status >= 500 && status !== 501 && status !== 505);
}

/** An answer that came whole; what is in it is not checked yet. */
export interface RawResponse {
  readonly calls: readonly RawCall[];
  readonly text: string;
  readonly finish: FinishPart["finishReason"]["unified"];
  readonly usage: FinishPart["usage"];
}

interface RawCall {
  readonly name: string;
  /** JSON, or what the model takes for it. */
  readonly input: string;
}

/** Of everything a model says in one answer, its thoughts included. */
const MAX_RESPONSE_CHARS = 400_000;

/** One request. What `received` was given has been paid for, also when the answer then breaks off. */
async function sendOnce(
  model: LanguageModel,
  options: CallOptions,
  streamed: boolean,
  received: (text: string) => void,
): Promise<RawResponse> {
  return streamed ? await collect(model, options, received) : await generate(model, options);
}

async function generate(model: LanguageModel, options: CallOptions): Promise<RawResponse> {
  const { content, finishReason, usage } = await model.doGenerate(options);
  const calls = content.flatMap((part) =>
    part.type === "tool-call" ? [{ name: part.toolName, input: part.input }] : [],
  );
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const characters = calls.reduce((sum, { input }) => sum + input.length, text.length);
  if (characters > MAX_RESPONSE_CHARS) throw new AttemptFailure({ kind: "too_long" });
  return { calls, text, finish: finishReason.unified, usage };
}

async function collect(
  model: LanguageModel,
  options: CallOptions,
  received: (text: string) => void,
): Promise<RawResponse> {
  const { stream } = await model.doStream({ ...options, headers: { accept: EVENT_STREAM } });
  const calls: RawCall[] = [];
  let text = "";
  let characters = 0;
  let finish: FinishPart | null = null;
  for await (const part of stream) {
    if (part.type === "error") throw failureIn(part.error);
    if ("delta" in part) {
      received(part.delta);
      characters += part.delta.length;
    }
    if (characters > MAX_RESPONSE_CHARS) throw new AttemptFailure({ kind: "too_long" });
    if (part.type === "text-delta") text += part.delta;
    if (part.type === "tool-call") calls.push({ name: part.toolName, input: part.input });
    if (part.type === "finish") finish = part;
  }
  if (finish === null || brokeOff(finish)) throw new AttemptFailure({ kind: "cut" });
  return { calls, text, finish: finish.finishReason.unified, usage: finish.usage };
}

/** What the provider says is an object; an Error is the SDK's, which could not read what came. */
function failureIn(error: unknown): AttemptFailure {
  return new AttemptFailure(error instanceof Error ? toProblem(error) : readStreamedError(error));
}

/** A stream that ends without the provider's word that it is at its end is half an answer, however whole it looks. */
function brokeOff({ finishReason: { unified, raw } }: FinishPart): boolean {
  return unified === "error" || unified === "interrupted" || (unified === "other" && raw === undefined);
}
