import {
  EXECUTION_ERRORS,
  type ExecutionErrorCode,
  type Failure,
  toErrorCode,
} from "../../contract/execution-error.ts";

/** Why a run ends without a claim. */
export interface Ending {
  readonly failure: Failure;
  /** In capitals; the same word as `failure` or a more specific one. */
  readonly code: ExecutionErrorCode;
  /** One or more sentences. */
  readonly reason: string;
}

/** Of a reason, and of an error message. More is for the steps and the verdict, not for one line. */
const MAX_CHARACTERS = 600;

export function endWith(failure: Failure, reason: string, code: ExecutionErrorCode = toErrorCode(failure)): Ending {
  return { failure, code, reason: shorten(reason, MAX_CHARACTERS) };
}

/** For a developer: what happened and what to do next. */
export function toErrorMessage({ failure, code, reason }: Ending, hasChanged: boolean): string {
  const byChange = hasChanged ? ADVICE_WHEN_CHANGED : ADVICE_WHEN_UNCHANGED;
  const next = byChange[failure] ?? EXECUTION_ERRORS[code].next;
  const advice = hasChanged ? `${next} ${WHERE}` : next;
  return `${shorten(reason, MAX_CHARACTERS - advice.length - 1)} ${advice}`;
}

/** Where a failed execution lists what it did. */
const WHERE = "GET …/executions/{id}/evidence lists what it changed.";

/** Keeps the beginning, and says how much is left out. */
function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const kept = text.slice(0, maxCharacters - LEFT_OUT_CHARACTERS).replace(/\s+\S*$/, "");
  return `${kept} … (${text.length - kept.length} more characters)`;
}

/** The longest note on what is left out. */
const LEFT_OUT_CHARACTERS = 32;

const ADVICE_WHEN_UNCHANGED: Partial<Record<Failure, string>> = {
  unverified: "Nothing was changed. Make the prompt more precise, or use the site's own words.",
  unsupported_prompt: "Nothing was changed.",
};

const ADVICE_WHEN_CHANGED: Partial<Record<Failure, string>> = {
  site_error: "The site did not work. Check the side effects before you try again.",
};
