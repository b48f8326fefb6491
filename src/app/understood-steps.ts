import { stringify } from "yaml";
import { describeStep } from "../agent/steps/describe-step.ts";
import { readPrompt } from "../agent/steps/english/read-prompt.ts";
import { shorten } from "../agent/steps/names.ts";
import type { Step } from "../agent/steps/step.ts";
import { InvalidSteps, isStepFile, parseStepFile } from "../agent/steps/step-file.ts";
import type { StepsReading } from "../contract/console/executions.ts";
import { findStartUrlProblem } from "../executions/create-request.ts";

/** A text as steps, as far as it is understood. */
export interface UnderstoodSteps {
  readonly startUrl: string | null;
  /** Null for a step of a file, which nobody said in English. */
  readonly steps: readonly { readonly said: string | null; readonly step: Step }[];
  /** What comes after the steps and is not understood; null when all of it is. */
  readonly problem: Problem | null;
}

export interface Problem {
  /** The words that are not understood; null when the text is a file of steps. */
  readonly clause: string | null;
  readonly reason: string;
  /** The nearest sentence that works. */
  readonly suggestion: string | null;
}

/** Reads English sentences, or a list of steps in YAML or JSON. Opens nothing. */
export function understandSteps(text: string, { isFile }: { isFile: boolean }): UnderstoodSteps {
  if (isFile || isStepFile(text)) return understandFile(text);
  const reading = readPrompt(text);
  if (reading.kind === "steps") {
    const problem =
      reading.steps.length === 0 ? invalid("It has no steps. Only an output schema could say what to extract.") : null;
    return { startUrl: null, steps: reading.steps, problem };
  }
  const { understood, clause, why: reason, suggestion } = reading;
  return { startUrl: null, steps: understood, problem: { clause, reason, suggestion } };
}

/** A file of this name holds steps, whatever it begins with. */
export function isStepFileName(path: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(path);
}

/** For the console, while the prompt is being typed. */
export function readStepsForConsole(prompt: string): StepsReading {
  const { steps, problem } = understandSteps(prompt, { isFile: false });
  return { steps: steps.map(({ said, step }) => ({ said, does: describeStep(step) })), problem };
}

function understandFile(text: string): UnderstoodSteps {
  try {
    const { steps, start_url: startUrl = null } = parseStepFile(text);
    const urlProblem = startUrl === null ? null : findStartUrlProblem(startUrl);
    const problem = urlProblem === null ? null : invalid(`"start_url" ${urlProblem}.`);
    return { startUrl, steps: steps.map((step) => ({ said: null, step })), problem };
  } catch (error) {
    if (!(error instanceof InvalidSteps)) throw error;
    return { startUrl: null, steps: [], problem: invalid(error.message) };
  }
}

function invalid(reason: string): Problem {
  return { clause: null, reason, suggestion: null };
}

/** One sentence for each part, the same wherever the problem is shown. */
export function describeProblem({ clause, reason, suggestion }: Problem): string[] {
  return [
    ...(clause === null ? [] : [`"${shorten(clause, 160)}" is not understood.`]),
    reason,
    ...(suggestion === null ? [] : [`Did you mean "${shorten(suggestion, 100)}"?`]),
  ];
}

/** The steps as a file that `errand run --steps` accepts. */
export function writeStepFile({ startUrl, steps }: UnderstoodSteps): string {
  const file = { ...(startUrl === null ? {} : { start_url: startUrl }), steps: steps.map(({ step }) => step) };
  return stringify(file, { lineWidth: 120, aliasDuplicateObjects: false });
}
