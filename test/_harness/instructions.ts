import type { Instruction, Value } from "../../src/agent/planner/builtin/instruction.ts";
import type { Target } from "../../src/agent/planner/builtin/reading/target.ts";
import { understand } from "../../src/agent/planner/builtin/reading/understand.ts";

/** What a prompt was understood as, one short line for each thing to do; "? clause" for what was not. */
export function summarize(prompt: string): string[] {
  const read = understand(prompt);
  return read.kind === "not_understood" ? [`? ${read.clause}`] : read.instructions.map(toLine);
}

function toLine(instruction: Instruction): string {
  const { said: _said, kind, ...rest } = instruction;
  const parts = Object.entries(rest).flatMap(([name, value]) => {
    const text = toText(value);
    return text === "" ? [] : [DROPPED_NAMES.has(name) ? text : `${name} ${text}`];
  });
  return [kind, ...parts].join(" | ");
}

const DROPPED_NAMES = new Set(["target", "value", "options", "url", "query", "path", "request", "question"]);

function toText(value: unknown): string {
  if (value === null || value === false || value === "once" || value === undefined) return "";
  if (isTarget(value)) return value.said;
  if (Array.isArray(value)) return value.join(" > ");
  if (typeof value !== "object") return String(value);
  if ("from" in value) return describeValue(value as Value);
  return JSON.stringify(value);
}

function isTarget(value: unknown): value is Target {
  return typeof value === "object" && value !== null && "readings" in value;
}

function describeValue(value: Value): string {
  if (value.from === "task") return `"${value.text}"`;
  return value.from === "memory" ? "(what was copied)" : `(from the page: ${value.described})`;
}
