import { untilAborted } from "../../lib/until-aborted.ts";
import { type AttemptProblem, problemOf } from "./attempt-failure.ts";
import { adapt, type Habits } from "./habits.ts";
import type { CallOptions, LanguageModel } from "./language-model.ts";
import { planRetry, type Trials } from "./plan-retry.ts";
import { type RawAnswer, sendOnce } from "./send-once.ts";
import type { UseTally } from "./use-tally.ts";

export interface Sender {
  readonly model: LanguageModel;
  readonly habits: Habits;
  /** Waits; ends early when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<unknown>;
  /** From 0 to 1. */
  random(): number;
  /** How long a model that cannot be had is waited for, in one question. */
  readonly patienceMs: number;
}

export type Sent =
  | { readonly outcome: "answered"; readonly answer: RawAnswer }
  | { readonly outcome: "failed"; readonly problem: AttemptProblem };

/** Sends until there is an answer, or none is to be had. Each attempt is built to the habits as they are by then. */
export async function sendPatiently(
  sender: Sender,
  build: () => CallOptions,
  tally: UseTally,
  signal: AbortSignal,
): Promise<Sent> {
  const { habits } = sender;
  const before = { ...habits };
  const patience = new Patience(sender.patienceMs);
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
    if (adapt(habits, last, hasImages(request))) continue;
    const waitMs = planRetry(last, patience.fail(last), sender.random());
    if (waitMs === null) {
      // What was given up did not help: it was not what the refusal was about.
      if (last.kind === "refused") Object.assign(habits, before);
      return sent;
    }
    patience.wait(waitMs);
    await untilAborted(sender.sleep(waitMs, signal), signal).catch((error: unknown) => {
      // Before the next attempt it is noticed.
      if (!hasTimedOut(signal)) throw error;
    });
  }
}

/** What has been tried, and for how long: by the monotonic clock, and at least as long as was waited. */
class Patience {
  readonly #patienceMs: number;
  readonly #startedMs = performance.now();
  readonly #counts = new Map<AttemptProblem["kind"], number>();
  #failures = 0;
  #waitedMs = 0;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  fail({ kind }: AttemptProblem): Trials {
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
  tally: UseTally,
  signal: AbortSignal,
): Promise<Sent> {
  signal.throwIfAborted();
  const received: string[] = [];
  tally.countRequest();
  try {
    const answer = await untilAborted(
      sendOnce(model, { ...request, abortSignal: signal }, streamed, (text) => received.push(text)),
      signal,
    );
    tally.countAnswer(request, answer.usage, () => `${answer.text}${JSON.stringify(answer.calls)}`);
    return { outcome: "answered", answer };
  } catch (error) {
    tally.countBroken(request, received.join(""));
    signal.throwIfAborted();
    const problem = problemOf(error);
    if (problem.kind === "too_long") return { outcome: "answered", answer: TOO_LONG };
    return { outcome: "failed", problem };
  }
}

/** Not a failure of the provider's: the model is told to be brief. */
const TOO_LONG: RawAnswer = {
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
