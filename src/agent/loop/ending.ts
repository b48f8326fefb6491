import type { Failure } from "../../contract/execution.ts";

/** Why a run ends without a claim. */
export interface Ending {
  readonly failure: Failure;
  /** In capitals; the same word as `failure` or a more specific one. */
  readonly code: string;
  /** One or more sentences. */
  readonly reason: string;
}

/** Of a reason, and of an error message. More is for the steps and the verdict, not for one line. */
const MAX_CHARACTERS = 600;

export function endWith(failure: Failure, reason: string, code: string = failure.toUpperCase()): Ending {
  return { failure, code, reason: shorten(reason, MAX_CHARACTERS) };
}

/** For a developer: what happened and what to do next. */
export function toErrorMessage({ failure, code, reason }: Ending, hasChanged: boolean): string {
  const byChange = hasChanged ? ADVICE_WHEN_CHANGED : ADVICE_WHEN_UNCHANGED;
  const next = ADVICE_BY_CODE.get(code) ?? byChange[failure] ?? ADVICE[failure];
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

const ADVICE: Record<Failure, string> = {
  unverified: "The site may have changed anyway: check the side effects before you try again.",
  goal_unreachable: "Check that the site offers this, and use the site's own names for buttons and fields.",
  reauthorization_required: "Ask the user to connect again, then create the execution again.",
  blocked: "The site wants to be sure that a person is there. Try again later, or ask the site's owner for access.",
  policy_violation:
    "To allow this, change the application's allowed hosts or access; private addresses also need ERRAND_ALLOW_HOSTS.",
  output_schema_mismatch:
    "Compare output_schema with what the page shows, and make values that may be missing optional.",
  step_limit: "Split the errand into smaller ones, or raise ERRAND_MAX_STEPS.",
  timed_out: "Split the errand into smaller ones, or raise ERRAND_MAX_MINUTES.",
  canceled: "Check the side effects to see what had been done by then.",
  approval_declined: "It was not sent. Create the execution again if it is wanted after all.",
  approval_expired: "It was not sent. Create the execution again when somebody can approve it.",
  interaction_expired: "Create the execution again when somebody can answer.",
  site_error: "The site did not work. Try again later.",
  model_error: "Check the model settings by running: errand doctor.",
  unsupported_prompt: "Make the prompt more precise.",
  worker_lost: "Check the site before you create the execution again.",
  internal_error: "This is a bug in Errand. The log has the details.",
};

const ADVICE_WHEN_UNCHANGED: Partial<Record<Failure, string>> = {
  unverified: "Nothing was changed. Make the prompt more precise, or use the site's own words.",
  unsupported_prompt: "Nothing was changed.",
};

const ADVICE_WHEN_CHANGED: Partial<Record<Failure, string>> = {
  site_error: "The site did not work. Check the side effects before you try again.",
};

/** For codes that say more than the kind of failure. */
const ADVICE_BY_CODE: ReadonlyMap<string, string> = new Map([
  ["SITE_REFUSED", "The site did not accept what was entered: correct it in the prompt before you try again."],
  ["ANSWER_NOT_FOUND", "Check that the page shows this, and ask for it in the page's own words."],
  [
    "SIGN_IN_NOT_SET_UP",
    "Set the application's sign_in_url so that users can sign in, or ask for something that the site shows to everybody.",
  ],
  ["TOKEN_LIMIT", "Split the errand into smaller ones, or raise ERRAND_MAX_TOKENS."],
  [
    "EVIDENCE_NOT_KEPT",
    "The operator should free space for artifacts (run: errand doctor). Check the side effects before you try again.",
  ],
  ["UNKNOWN_ROWS", "Ask for something that each row of the list states in the same way."],
  ["LIST_NOT_FOUND", "Open the page that has the list, and call it by the name that the page gives it."],
  ["COLUMN_NOT_FOUND", "Ask for a column that the list has."],
  ["ROW_NOT_FOUND", "Ask for a row that the list has."],
  ["TEXT_NOT_FOUND", "Quote the text as the field has it."],
  ["NOT_AS_EXPECTED", "Look at the screenshot of the last step: the page says something else."],
  ["CONFIRMATION_NEEDED", "Nothing was confirmed."],
  ["COMMIT", "Say exactly what is to be bought, sent or changed, and how many; take everything else out of the cart."],
  ["TOO_MANY", "Split the errand into smaller ones."],
  ["PARTIAL_LIST", 'Start from the page with the whole list, or add "on this page" to ask only for what it shows.'],
]);
