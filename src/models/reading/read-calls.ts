import type { Tool, ToolCall } from "../model.ts";
import { parseModelJson } from "./parse-json.ts";
import type { ToolChecker } from "./tool-checker.ts";

/** A call before it is checked: the input is JSON, or a value that was read from JSON. */
export type UncheckedCall =
  | { readonly name: string; readonly input: string }
  | { readonly name: string; readonly value: unknown };

export type Reading =
  | { readonly usable: true; readonly calls: readonly ToolCall[] }
  /** What the model is told. */
  | { readonly usable: false; readonly problem: string };

/**
 * The calls up to the first that is wrong. Those before it were meant, and what they bring about is seen before the rest is
 * decided anew; only when the very first is wrong is there nothing to go on.
 */
export function readCalls(
  calls: readonly UncheckedCall[],
  tools: readonly Tool[],
  maxCalls: number,
  checker: ToolChecker,
): Reading {
  const read: ToolCall[] = [];
  for (const call of calls.slice(0, maxCalls)) {
    const reading = readCall(call, tools, checker);
    if ("problem" in reading) {
      if (read.length > 0) break;
      return { usable: false, problem: reading.problem };
    }
    read.push(reading);
  }
  if (read.length === 0) return { usable: false, problem: "there is no call of a tool in it" };
  return { usable: true, calls: read };
}

function readCall(call: UncheckedCall, tools: readonly Tool[], checker: ToolChecker): ToolCall | { problem: string } {
  const name = call.name.trim().replace(/^(functions?|tools?)[.:/]/, "");
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) {
    const offered = tools.map((candidate) => candidate.name).join(", ");
    return { problem: `there is no tool of the name it calls; the tools are ${offered}` };
  }
  // A tool without fields is called with nothing at all by some.
  const parsed =
    "value" in call ? ({ ok: true, value: call.value } as const) : parseModelJson(call.input.trim() || "{}");
  if (!parsed.ok) return { problem: `the input of ${name} ${parsed.problem}` };
  const checked = checker.check(tool, parsed.value);
  return checked.ok ? { tool: name, input: checked.input } : { problem: `in the call of ${name}, ${checked.problem}` };
}
