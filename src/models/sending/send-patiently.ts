import { untilAborted } from "../../lib/until-aborted.ts";
import { type AttemptProblem, problemOf } from "./attempt-failure.ts";
import { adapt, type Habits } from "./habits.ts";
import type { CallOptions, LanguageModel } from "./language-model.ts";
import { planRetry } from "./plan-retry.ts";
import { type RawAnswer, sendOnce } from "./send-once.ts";
import type { UseTally } from "./use-tally.ts";

export interface Sender {
  readonly model: LanguageModel;
  readonly habits: Habits;
  /** Waits; ends early when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<unknown>;
  /** From 0 to 1. */
  random(): number;
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
  let last: AttemptProblem | null = null;
  for (let failures = 0; ; ) {
    const request = build();
    // A stream that broke may have been broken by something on the way that cannot stream.
    const streamed = habits.streams && last?.kind !== "cut";
    const sent = await attempt(sender, request, streamed, tally, signal);
    if (sent.outcome === "answered") return sent;
    last = sent.problem;
    if (adapt(habits, last, hasImages(request))) continue;
    failures += 1;
    const waitMs = planRetry(last, failures, sender.random());
    if (waitMs === null) {
      // What was given up did not help: it was not what the refusal was about.
      if (last.kind === "refused") Object.assign(habits, before);
      return sent;
    }
    await untilAborted(sender.sleep(waitMs, signal), signal);
  }
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
