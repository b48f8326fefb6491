import { setTimeout as sleep } from "node:timers/promises";
import type { Task } from "../../grounding/claim.ts";
import { type Decision, type Plan, type Planner, PlannerRefusal, type Turn } from "../planner.ts";
import { carryOut } from "./acting/carry-out.ts";
import { type Course, type Step, Stop } from "./acting/course.ts";
import { settleDialog } from "./acting/dialogs.ts";
import { Hand } from "./acting/hand.ts";
import { findRequest, makeClaim } from "./claim.ts";
import type { Instruction } from "./instruction.ts";
import { outlineOf } from "./outline.ts";
import { understand } from "./reading/understand.ts";

/** No model and no key: it understands explicit English instructions and does exactly those, or refuses. */
export function createBuiltinPlanner(): Planner {
  return { name: "builtin", plan: async (task) => makePlan(task) };
}

/** It needs no model and no time. */
export function makePlan(task: Task): Plan {
  const instructions = readTask(task);
  const [first, ...rest] = instructions;
  // The address to start from needs no step of its own.
  const opensFirst = task.startUrl === null && first?.kind === "goto";
  let course: Course<Decision> | null = null;
  return {
    startUrl: opensFirst ? first.url : task.startUrl,
    outline: instructions.map(outlineOf),
    signsIn: instructions.some(signsIn),
    async next(turn) {
      const isBeginning = course === null;
      course ??= follow(opensFirst ? rest : instructions, task, turn);
      return await step(course, isBeginning ? null : turn, turn);
    },
  };
}

function readTask(task: Task): readonly Instruction[] {
  const read = understand(task.prompt, { hasOutput: task.outputSchema !== null });
  if (read.kind === "not_understood") {
    throw new PlannerRefusal(
      `The builtin planner does not understand "${withoutSecrets(read.clause).slice(0, 200)}". It takes explicit steps, such as: open, click, type … into …, ` +
        "select … from …, tick, search for, sort by, go to the next page, wait for, and questions such as: what is the price of …, list all …. " +
        "For tasks that need judgement configure a model with ERRAND_MODEL.",
    );
  }
  if (read.instructions.length === 0 && task.outputSchema === null) {
    throw new PlannerRefusal("The prompt asks for nothing. Say what to do step by step, or what to find out.");
  }
  return read.instructions;
}

/** A refusal is kept and shown: a password in it would be too. */
function withoutSecrets(text: string): string {
  return text.replace(/\b(pass ?word|pass ?phrase|pin|secret)(\s+(?:is|of)?\s*|[:=]\s*)\S+/gi, "$1 …");
}

/** A task that brings a password means to use it. */
function signsIn(instruction: Instruction): boolean {
  if (instruction.kind === "sign_in") return true;
  return instruction.kind === "set" && instruction.target !== null && /\bpass ?word\b/i.test(instruction.target.said);
}

function* follow(instructions: readonly Instruction[], task: Task, turn: Turn): Course<Decision> {
  const hand = new Hand(turn, task.now);
  // With a schema the last question is answered by the data itself.
  const request = task.outputSchema === null ? null : findRequest(instructions);
  for (const instruction of instructions) if (instruction !== request) yield* carryOut(instruction, hand);
  yield* settleDialog(hand);
  return { kind: "done", claim: yield* makeClaim(instructions, task, hand) };
}

async function step(course: Course<Decision>, answer: Turn | null, turn: Turn): Promise<Decision> {
  try {
    let result = advance(course, answer);
    while (result.kind === "pause") {
      await sleep(result.milliseconds, undefined, { signal: turn.signal });
      result = advance(course, turn);
    }
    return result;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { kind: "give_up", failure: error.failure, code: error.code, reason: error.message };
  }
}

/** The first call starts the course, and has nothing to tell it yet. */
function advance(course: Course<Decision>, answer: Turn | null): Step {
  const result = answer === null ? course.next(...([] as unknown as [Turn])) : course.next(answer);
  return result.value;
}
