import type { Question } from "../model.ts";
import { readCallsInText } from "../reading/calls-in-text.ts";
import { type Reading, readCalls } from "../reading/read-calls.ts";
import type { ToolChecker } from "../reading/tool-checker.ts";
import type { RawAnswer } from "../sending/send-once.ts";

/** The calls of an answer. Some models write the call into their text, even when they were given tools. */
export function readAnswer(
  { calls, text }: RawAnswer,
  { tools, maxCalls }: Question,
  callsTools: boolean,
  checker: ToolChecker,
): Reading {
  if (calls.length > 0) return readCalls(calls, tools, maxCalls, checker);
  const names = tools.map(({ name }) => name);
  return readCalls(readCallsInText(text, names, { alone: callsTools }) ?? [], tools, maxCalls, checker);
}
