import { toStorableText } from "../../lib/text.ts";
import type { RawAnswer } from "../sending/send-once.ts";
import type { Correction } from "./build-request.ts";

const MAX_SAID_LENGTH = 2_000;

/** What the model is told about an answer that cannot be used, after the answer itself. */
export function correct(answer: RawAnswer, problem: string, callsTools: boolean): Correction {
  const calls = answer.calls.map(({ name, input }) => `${name} ${input}`);
  const said = toStorableText([answer.text, ...calls].join("\n").slice(0, MAX_SAID_LENGTH)).trim();
  const wrong = answer.finish === "length" ? `it is too long and was cut off; ${problem}` : problem;
  const wanted = callsTools
    ? "Answer again, by calling the tools you were given."
    : 'Answer again, with one JSON object {"calls":[{"tool":"…","input":{…}}]} and nothing else.';
  return { said: said === "" ? "(nothing)" : said, problem: `That answer cannot be used: ${wrong}. ${wanted}` };
}
