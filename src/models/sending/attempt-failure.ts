/** Why one request gave no answer. Nothing in it is meant to be shown: the provider's words may repeat the prompt or the key. */
export type AttemptProblem =
  | ProviderRefusal
  /** No connection, by the system's code for it, such as ECONNREFUSED. */
  | { readonly kind: "unreachable"; readonly code: string }
  /** Nothing came for longer than we wait. */
  | { readonly kind: "silent" }
  /** The answer broke off, or is no answer of a model. */
  | { readonly kind: "cut" }
  | { readonly kind: "too_long" }
  /** An answer, but not of a model server: a web page, a redirect. */
  | { readonly kind: "not_a_model"; readonly status: number }
  /** It was asked to stream and answered in one piece. */
  | { readonly kind: "not_streamed" };

export interface ProviderRefusal {
  readonly kind: "refused";
  readonly status: number;
  /** The provider's own code for it, such as model_not_found. */
  readonly code: string | null;
  readonly words: string;
  readonly retryAfterMs: number | null;
  /** The provider itself says that trying again is of no use. */
  readonly isFinal: boolean;
}

/** The SDK may wrap it: `problemOf` finds it again. It carries no cause, since the SDK's errors hold the whole prompt. */
export class AttemptFailure extends Error {
  readonly problem: AttemptProblem;

  constructor(problem: AttemptProblem) {
    super(`the model did not answer: ${problem.kind}`);
    this.problem = problem;
  }
}

const MAX_CAUSES = 10;

/** What went wrong. An error that is not ours comes from the SDK, which could make nothing of the answer. */
export function problemOf(error: unknown): AttemptProblem {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof AttemptFailure) return current.problem;
    const { statusCode } = current as { statusCode?: unknown };
    if (typeof statusCode === "number" && statusCode >= 400) return refusalWithStatus(statusCode);
    current = current.cause;
  }
  return { kind: "cut" };
}

/** Some providers begin a stream with an error: the SDK gives it the status that it stands for. */
function refusalWithStatus(status: number): ProviderRefusal {
  return { kind: "refused", status, code: null, words: "", retryAfterMs: null, isFinal: false };
}
