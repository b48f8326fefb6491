import type { Instruction } from "./instruction.ts";

/** What was understood, in one line, without any secret that the task brings. */
export function outlineOf(instruction: Instruction): string {
  if (
    instruction.kind === "set" &&
    /pass ?word|secret|\bpin\b|\bcvc\b|\bcvv\b|one-time|\botp\b/i.test(instruction.target?.said ?? "")
  ) {
    return `enter the given value as ${instruction.target?.said}`;
  }
  return instruction.said.slice(0, 200);
}
