import { abortable } from "../lib/waiting.ts";
import { type Capabilities, dropRefusedCapability } from "./capabilities.ts";
import { EVENT_STREAM } from "./guarded-fetch.ts";
import {
  AttemptFailure,
  type AttemptProblem,
  isOutOfCredit,
  readStreamedError,
  toProblem,
} from "./provider-failure.ts";
import type { CallOptions, FinishPart, LanguageModel } from "./provider-models.ts";
import type { UsageTally } from "./usage.ts";

export interface Sender {
  readonly model: LanguageModel;
  readonly capabilities: Capabilities;
  /** Ends early when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<unknown>;
  /** From 0 to 1. */
  random(): number;
  /** How long one request waits for a model that is unavailable. */
  readonly patienceMs: number;
}

/** A complete response. Its content is not checked yet. */
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

type SendResult =
  | { readonly outcome: "received"; readonly response: RawResponse }
  | { readonly outcome: "failed"; readonly problem: AttemptProblem };

/** Sends until there is a response or retrying is useless. Each attempt is built for the capabilities known by then. */
export async function sendWithRetries(
  sender: Sender,
  build: () => CallOptions,
  tally: UsageTally,
  signal: AbortSignal,
): Promise<SendResult> {
  const { capabilities } = sender;
  const before = { ...capabilities };
  const budget = new RetryBudget(sender.patienceMs);
  let last: AttemptProblem | null = null;
  for (;;) {
    const request = build();
    // After a stream that broke off, try without: something on the way may not support streams.
    const streamed = capabilities.streams && last?.kind !== "cut";
    // When time runs out while the model is unavailable, the model is the reason, not the time.
    if (last !== null && hasTimedOut(signal)) return { outcome: "failed", problem: last };
    const sent = await attempt(sender, request, streamed, tally, signal);
    if (sent.outcome === "received") return sent;
    last = sent.problem;
    if (dropRefusedCapability(capabilities, last, hasImages(request))) continue;
    const waitMs = planRetry(last, budget.fail(last), sender.random());
    if (waitMs === null) {
      // Dropping capabilities did not help, so they were not the reason.
      if (last.kind === "refused") Object.assign(capabilities, before);
      return sent;
    }
    budget.wait(waitMs);
    await abortable(sender.sleep(waitMs, signal), signal).catch((error: unknown) => {
      // A timeout is handled before the next attempt.
      if (!hasTimedOut(signal)) throw error;
    });
  }
}

function hasTimedOut({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof DOMException && reason.name === "TimeoutError";
}

function hasImages({ prompt }: CallOptions): boolean {
  return prompt.some(({ content }) => typeof content !== "string" && content.some(({ type }) => type === "file"));
}

/** What has been tried for one request. */
interface RetryState {
  readonly failures: number;
  /** How many of them were of the same kind as the last. */
  readonly sameKind: number;
  readonly spentMs: number;
  readonly patienceMs: number;
}

/** Time is measured by the monotonic clock, and is at least as long as the waiting. */
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
    const sameKind = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, sameKind);
    this.#failures += 1;
    const spentMs = Math.max(this.#waitedMs, performance.now() - this.#startedMs);
    return { failures: this.#failures, sameKind, spentMs, patienceMs: this.#patienceMs };
  }

  wait(ms: number): void {
    this.#waitedMs += ms;
  }
}

/** Partial responses are paid for, so a server that sends nothing else is not asked forever. */
const MAX_CUTS = 4;
/** A server that was silent for minutes twice is not asked again. */
const MAX_SILENCES = 2;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** How long to wait before the next attempt; null when another one is useless. `random` is from 0 to 1. */
function planRetry(problem: AttemptProblem, state: RetryState, random: number): number | null {
  if (!isRetryable(problem) || hasReachedLimit(problem, state.sameKind)) return null;
  // With jitter, so that clients that failed together do not retry together.
  const backoffMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (state.failures - 1)) * (1 + random / 2);
  const requestedMs = problem.kind === "refused" ? (problem.retryAfterMs ?? 0) : 0;
  const waitMs = Math.max(backoffMs, requestedMs);
  return state.spentMs + waitMs > state.patienceMs ? null : waitMs;
}

function hasReachedLimit({ kind }: AttemptProblem, count: number): boolean {
  return (kind === "silent" && count >= MAX_SILENCES) || (kind === "cut" && count >= MAX_CUTS);
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

async function attempt(
  { model }: Sender,
  request: CallOptions,
  streamed: boolean,
  tally: UsageTally,
  signal: AbortSignal,
): Promise<SendResult> {
  signal.throwIfAborted();
  const options = { ...request, abortSignal: signal };
  const received: string[] = [];
  tally.countRequest();
  try {
    const sending = streamed ? collect(model, options, received) : generate(model, options);
    const response = await abortable(sending, signal);
    tally.countResponse(request, response.usage, () => `${response.text}${JSON.stringify(response.calls)}`);
    return { outcome: "received", response };
  } catch (error) {
    tally.countBroken(request, received.join(""));
    signal.throwIfAborted();
    const problem = toProblem(error);
    if (problem.kind === "too_long") return { outcome: "received", response: TOO_LONG };
    return { outcome: "failed", problem };
  }
}

/** Not a failure of the provider: the model is asked to be brief. */
const TOO_LONG: RawResponse = {
  calls: [],
  text: "",
  finish: "length",
  usage: {
    inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  },
};

/** Everything a model writes in one response, including its reasoning. */
const MAX_RESPONSE_CHARS = 400_000;

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

/** Adds to `received` what has been paid for, also when the response then breaks off. */
async function collect(model: LanguageModel, options: CallOptions, received: string[]): Promise<RawResponse> {
  const { stream } = await model.doStream({ ...options, headers: { accept: EVENT_STREAM } });
  const calls: RawCall[] = [];
  let text = "";
  let characters = 0;
  let finish: FinishPart | null = null;
  for await (const part of stream) {
    if (part.type === "error") throw toFailure(part.error);
    if ("delta" in part) {
      received.push(part.delta);
      characters += part.delta.length;
    }
    if (characters > MAX_RESPONSE_CHARS) throw new AttemptFailure({ kind: "too_long" });
    if (part.type === "text-delta") text += part.delta;
    if (part.type === "tool-call") calls.push({ name: part.toolName, input: part.input });
    if (part.type === "finish") finish = part;
  }
  if (finish === null || hasBrokenOff(finish)) throw new AttemptFailure({ kind: "cut" });
  return { calls, text, finish: finish.finishReason.unified, usage: finish.usage };
}

/** The provider's errors are plain objects; an Error comes from the SDK, which could not read the response. */
function toFailure(error: unknown): AttemptFailure {
  return new AttemptFailure(error instanceof Error ? toProblem(error) : readStreamedError(error));
}

/** A stream that ends without the provider's finish reason is incomplete, even if it looks complete. */
function hasBrokenOff({ finishReason: { unified, raw } }: FinishPart): boolean {
  return unified === "error" || unified === "interrupted" || (unified === "other" && raw === undefined);
}
