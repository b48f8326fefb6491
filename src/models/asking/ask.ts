import type { ModelProvider } from "../../lib/model-spec.ts";
import { toStorableText } from "../../lib/text.ts";
import { type Answer, ModelFailure, type Question } from "../model.ts";
import type { ToolChecker } from "../reading/tool-checker.ts";
import type { AttemptProblem } from "../sending/attempt-failure.ts";
import type { Explanation } from "../sending/explain-problem.ts";
import type { RawAnswer } from "../sending/send-once.ts";
import { type Sender, sendPatiently } from "../sending/send-patiently.ts";
import { UseTally } from "../sending/use-tally.ts";
import { buildRequest, type Correction } from "./build-request.ts";
import { correct } from "./correct.ts";
import { readAnswer } from "./read-answer.ts";

export interface Asker extends Sender {
  readonly name: string;
  readonly provider: ModelProvider;
  readonly maxOutputTokens: number;
  readonly checker: ToolChecker;
  explain(problem: AttemptProblem): Explanation;
  /** What to do about a model whose answers are of no use. */
  readonly unusable: { readonly filtered: string; readonly malformed: string };
}

const MAX_REPAIRS = 2;
const MAX_TEXT_LENGTH = 20_000;

/** Asks, and asks again with what is wrong, until there are calls that can be made. */
export async function ask(asker: Asker, question: Question, signal: AbortSignal): Promise<Answer> {
  const { habits } = asker;
  const tally = new UseTally();
  const begunMs = performance.now();
  const use = () => tally.toUse(asker.name, Math.round(performance.now() - begunMs));
  const fail = ({ trouble, message }: Explanation) => new ModelFailure(trouble, message, use());
  const corrections: Correction[] = [];
  let isOnTrial = false;
  try {
    while (corrections.length <= MAX_REPAIRS) {
      const sent = await sendPatiently(asker, () => buildRequest(question, { ...asker, corrections }), tally, signal);
      if (sent.outcome === "failed") throw fail(asker.explain(sent.problem));
      const { answer } = sent;
      const reading = readAnswer(answer, question, habits.callsTools, asker.checker);
      if (reading.usable) {
        isOnTrial = false;
        return { calls: reading.calls, text: besideCalls(answer), use: use() };
      }
      if (answer.finish === "content-filter") throw fail({ trouble: "unusable", message: asker.unusable.filtered });
      if (habits.callsTools && isProse(answer) && corrections.length === MAX_REPAIRS - 1) {
        // It was told to call a tool and wrote prose again: perhaps nobody told it of the tools.
        habits.callsTools = false;
        isOnTrial = true;
      }
      corrections.push(correct(answer, reading.problem, habits.callsTools));
    }
    throw fail({ trouble: "unusable", message: asker.unusable.malformed });
  } finally {
    const spent = use();
    if (spent.requests > 0) question.onUse?.(spent);
    // Only an answer that can be used proves that it needs to be asked for text.
    if (isOnTrial) habits.callsTools = true;
  }
}

function isProse({ calls, text }: RawAnswer): boolean {
  return calls.length === 0 && text.trim() !== "";
}

/** Where the calls stand in the text, there is nothing beside them. */
function besideCalls({ calls, text }: RawAnswer): string {
  return calls.length === 0 ? "" : toStorableText(text.slice(0, MAX_TEXT_LENGTH));
}
