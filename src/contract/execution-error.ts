interface Explanation {
  /** What happened. */
  when: string;
  /** What a developer should do. */
  next: string;
}

/** Why an execution failed: the values of `terminal.status` beside `verified`. The same words in capitals are error codes. */
export const FAILURES = {
  unverified: {
    when: "The agent says that it is done, but the independent verifier did not agree.",
    next: "The site may have changed anyway: check the side effects before you try again.",
  },
  goal_unreachable: {
    when: "The site does not offer what was asked for, or not in the words of the prompt.",
    next: "Check that the site offers this, and use the site's own names for buttons and fields.",
  },
  reauthorization_required: {
    when: "The user is signed out of the site, or has to consent again.",
    next: "Ask the user to connect again, then create the execution again.",
  },
  blocked: {
    when: "A captcha or a bot wall is in the way.",
    next: "The site wants to be sure that a person is there. Try again later, or ask the site's owner for access.",
  },
  policy_violation: {
    when: "It would have left the allowed hosts, or changed something in spite of read-only access.",
    next: "To allow this, change the application's allowed hosts or access; private addresses also need ERRAND_ALLOW_HOSTS.",
  },
  output_schema_mismatch: {
    when: "The page does not show what `output_schema` requires.",
    next: "Compare output_schema with what the page shows, and make values that may be missing optional.",
  },
  step_limit: {
    when: "It needed more steps than are allowed.",
    next: "Split the errand into smaller ones, or raise ERRAND_MAX_STEPS.",
  },
  timed_out: {
    when: "It took longer than is allowed.",
    next: "Split the errand into smaller ones, or raise ERRAND_MAX_MINUTES.",
  },
  canceled: {
    when: "Somebody canceled it, or deleted what it needs.",
    next: "Check the side effects to see what had been done by then.",
  },
  approval_declined: {
    when: "A person declined what it was about to do.",
    next: "It was not sent. What was prepared for it, such as a cart, may still be there. Create the execution again if it is wanted after all.",
  },
  approval_expired: {
    when: "Nobody approved in time what it was about to do.",
    next: "It was not sent. What was prepared for it, such as a cart, may still be there. Create the execution again when somebody can approve it.",
  },
  interaction_expired: {
    when: "Nobody answered its question in time.",
    next: "Create the execution again when somebody can answer.",
  },
  site_error: {
    when: "The site did not work or could not be reached.",
    next: "The site did not work. Try again later.",
  },
  model_error: {
    when: "The language model is unavailable or gave no usable response.",
    next: "Check the model settings by running: errand doctor.",
  },
  unsupported_prompt: {
    when: "The prompt is not clear enough; or no model is configured, and the prompt is not a list of steps.",
    next: "Make the prompt more precise.",
  },
  worker_lost: {
    when: "The process that ran it ended, so its last actions are unknown.",
    next: "Check the site before you create the execution again.",
  },
  internal_error: { when: "There is a bug in Errand.", next: "This is a bug in Errand. The log has the details." },
} as const satisfies Record<string, Explanation>;
export type Failure = keyof typeof FAILURES;

/** The values of `error.code` that say more than `terminal.status`. */
const DETAILED_ERRORS = {
  UNPROVEN: {
    failures: ["unverified"],
    when: "The agent could not show where the site says what it claims.",
    next: "Check the side effects, and ask for something that the site states.",
  },
  WOULD_REPEAT: {
    failures: ["unverified"],
    when: "Trying again would have sent the same thing twice.",
    next: "Check the side effects before you try again.",
  },
  READ_ONLY: {
    failures: ["policy_violation"],
    when: "The application has read-only access, and a step would have changed something.",
    next: "Give the application full access; its users then have to consent again.",
  },
  TOKEN_LIMIT: {
    failures: ["step_limit"],
    when: "The models used more tokens than are allowed.",
    next: "Split the errand into smaller ones, or raise ERRAND_MAX_TOKENS.",
  },
  BROWSER_LOST: {
    failures: ["site_error"],
    when: "The browser ended or stopped responding.",
    next: "Check the side effects, then try again.",
  },
  SHUTTING_DOWN: {
    failures: ["worker_lost"],
    when: "The service was stopped while the execution was running.",
    next: "Check the side effects, then create the execution again.",
  },
  EVIDENCE_NOT_KEPT: {
    failures: ["internal_error"],
    when: "The evidence could not be stored, so the result does not count.",
    next: "The operator should free space for artifacts (run: errand doctor). Check the side effects before you try again.",
  },
  SIGN_IN_UNREADABLE: {
    failures: ["internal_error"],
    when: "The user's saved sign-in cannot be decrypted.",
    next: "The operator should check ERRAND_SECRET_KEY. If the sign-in is damaged, send the user through the authorization link.",
  },
  NO_REPORT: {
    failures: ["internal_error"],
    when: "An action was requested and nothing was reported.",
    next: "This is a bug in Errand. The log has the details.",
  },
  MODEL_UNREACHABLE: {
    failures: ["model_error"],
    when: "The model's server could not be reached.",
    next: "Check the model's URL and the network by running: errand doctor.",
  },
  MODEL_UNAUTHORIZED: {
    failures: ["model_error"],
    when: "The model's key is wrong or missing, or the account may not use the model.",
    next: "Check the key by running: errand doctor.",
  },
  MODEL_REJECTED: {
    failures: ["model_error"],
    when: "The model's provider rejected the request: there is no such model, or the prompt is too long.",
    next: "Check the model's name by running: errand doctor.",
  },
  MODEL_RATE_LIMITED: {
    failures: ["model_error"],
    when: "The model's provider limits how many requests it accepts.",
    next: "Try again later, or raise the limit at the provider.",
  },
  MODEL_OVERLOADED: {
    failures: ["model_error"],
    when: "The model's provider is overloaded.",
    next: "Try again later.",
  },
  MODEL_TIMED_OUT: {
    failures: ["model_error"],
    when: "The model did not respond in time.",
    next: "Raise ERRAND_MODEL_TIMEOUT_SECONDS, or choose a faster model.",
  },
  MODEL_UNUSABLE: {
    failures: ["model_error"],
    when: "The model responded without usable calls, even after corrections.",
    next: "Choose a more capable model.",
  },
  SIGN_IN_NOT_SET_UP: {
    failures: ["goal_unreachable"],
    when: "The site asks to sign in, and the application has no sign-in URL.",
    next: "Set the application's sign_in_url so that users can sign in, or ask for something that the site shows to everybody.",
  },
  STUCK: {
    failures: ["goal_unreachable"],
    when: "The same action was repeated and the page did not change.",
    next: "Check that the site offers this, and use the site's own names for buttons and fields.",
  },
  REFUSED_BY_SITE: {
    failures: ["goal_unreachable"],
    when: "The site says that it does not do this.",
    next: "Read what the site says in `terminal.reason`.",
  },
  SITE_REFUSED: {
    failures: ["goal_unreachable"],
    when: "The site rejected what was entered.",
    next: "The site did not accept what was entered: correct it in the prompt before you try again.",
  },
  COMMIT: {
    failures: ["goal_unreachable"],
    when: "What the site was about to do is not what the prompt asks for.",
    next: "Say exactly what is to be bought, sent or changed, and how many; take everything else out of the cart.",
  },
  CONFIRMATION_NEEDED: {
    failures: ["goal_unreachable"],
    when: "The site asked for a confirmation that the prompt does not mention.",
    next: "Nothing was confirmed.",
  },
  AMBIGUOUS: {
    failures: ["unsupported_prompt", "goal_unreachable"],
    when: "Several elements of the page match what a step names.",
    next: "Name the element more precisely, for example with the section that it is in.",
  },
  NOT_FOUND: {
    failures: ["goal_unreachable"],
    when: "The page has no element that a step names.",
    next: "Use the name that the page shows.",
  },
  TEXT_NOT_FOUND: {
    failures: ["goal_unreachable"],
    when: "The field does not contain the text that a step quotes.",
    next: "Quote the text as the field has it.",
  },
  ANSWER_NOT_FOUND: {
    failures: ["goal_unreachable"],
    when: "The page does not show the value that was asked for.",
    next: "Check that the page shows this, and ask for it in the page's own words.",
  },
  NOT_AS_EXPECTED: {
    failures: ["goal_unreachable"],
    when: "Something that a step expects does not hold.",
    next: "Look at the screenshot of the last step: the page says something else.",
  },
  LIST_NOT_FOUND: {
    failures: ["goal_unreachable"],
    when: "The page has no list that matches.",
    next: "Open the page that has the list, and call it by the name that the page gives it.",
  },
  COLUMN_NOT_FOUND: {
    failures: ["goal_unreachable"],
    when: "The list has no column with this name.",
    next: "Ask for a column that the list has.",
  },
  ROW_NOT_FOUND: {
    failures: ["goal_unreachable"],
    when: "The list has fewer rows.",
    next: "Ask for a row that the list has.",
  },
  UNKNOWN_ROWS: {
    failures: ["goal_unreachable"],
    when: "It is not certain which rows of the list are meant.",
    next: "Ask for something that each row of the list states in the same way.",
  },
  PARTIAL_LIST: {
    failures: ["goal_unreachable"],
    when: "The list may have more rows than could be read.",
    next: 'Start from the page with the whole list, or add "on this page" to ask only for what it shows.',
  },
  TOO_MANY: {
    failures: ["goal_unreachable"],
    when: "There are more entries than one execution handles.",
    next: "Split the errand into smaller ones.",
  },
  NOT_ACTIONABLE: {
    failures: ["goal_unreachable"],
    when: "A step names an element that cannot be used.",
    next: "Name the button, link or field itself.",
  },
  COVERED: {
    failures: ["goal_unreachable"],
    when: "Another element covers the one that a step names.",
    next: "Add a step that closes what is in front of it.",
  },
  DISABLED: {
    failures: ["goal_unreachable"],
    when: "The element that a step names is disabled.",
    next: "Add the steps that enable it, such as filling in a required field.",
  },
  DIALOG_OPEN: {
    failures: ["goal_unreachable"],
    when: "A dialog of the page is in the way.",
    next: "Add a step that accepts or dismisses it.",
  },
  INVALID_INPUT: {
    failures: ["goal_unreachable"],
    when: "The element does not take this input.",
    next: "Use a value that the field accepts.",
  },
  NO_EFFECT: {
    failures: ["goal_unreachable"],
    when: "The page did not react to an action.",
    next: "Look at the screenshot of the last step.",
  },
  STALE: {
    failures: ["goal_unreachable"],
    when: "The element disappeared while it was being used.",
    next: "Try again. If it happens every time, name another element.",
  },
  TIMEOUT: {
    failures: ["goal_unreachable"],
    when: "The page did not react in time.",
    next: "Try again later.",
  },
} as const satisfies Record<string, Explanation & { failures: readonly Failure[] }>;

type DetailedErrorCode = keyof typeof DETAILED_ERRORS;
export type ExecutionErrorCode = Uppercase<Failure> | DetailedErrorCode;

interface ExecutionError extends Explanation {
  /** The values of `terminal.status` that it comes with. */
  failures: readonly Failure[];
}

const generalErrors: [string, ExecutionError][] = (Object.keys(FAILURES) as Failure[]).map((failure) => [
  toErrorCode(failure),
  { ...FAILURES[failure], failures: [failure] },
]);

/** Every value of an execution's `error.code`: the source of OpenAPI and of docs/errors.md. */
export const EXECUTION_ERRORS: Readonly<Record<ExecutionErrorCode, ExecutionError>> = {
  ...(Object.fromEntries(generalErrors) as Record<Uppercase<Failure>, ExecutionError>),
  ...DETAILED_ERRORS,
};

/** The code that says the same as the terminal status. */
export function toErrorCode<Kind extends Failure>(failure: Kind): Uppercase<Kind> {
  return failure.toUpperCase() as Uppercase<Kind>;
}
