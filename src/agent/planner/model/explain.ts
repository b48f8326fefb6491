import type { ActionCall } from "../../actions/action-report.ts";
import { describeCall } from "../../describe-call.ts";
import { toOneLine } from "../../prompting/one-line.ts";

const MAX_CHARS = 200;

/** Why something is done, in a line for people: the first sentence that the model said beside its calls, or the calls. */
export function explain(text: string, calls: readonly ActionCall[]): string {
  const line = toOneLine(text, 1_000);
  const sentence = /^.{15,}?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  return toOneLine(sentence === "" ? `${calls.map(describeCall).join(", then ")}.` : sentence, MAX_CHARS);
}
