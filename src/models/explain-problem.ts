import type { AttemptProblem, ProviderError } from "./attempt-failure.ts";
import { isTooLong } from "./capabilities.ts";
import type { ModelFailureKind } from "./model.ts";
import { isOutOfCredit } from "./send.ts";

export interface Naming {
  /** Such as anthropic:claude. */
  readonly model: string;
  /** Where it is asked; null for the provider's own address. */
  readonly address: string | null;
  /** The setting that names the model; those for its key and address begin with it. */
  readonly setting: string;
  readonly silenceMs: number;
}

export interface Explanation {
  readonly trouble: ModelFailureKind;
  /** What happened and what to do; nothing that the provider said but a code. */
  readonly message: string;
}

export function explainProblem(problem: AttemptProblem, naming: Naming): Explanation {
  const { model, setting, silenceMs } = naming;
  const server = naming.address === null ? `the provider of ${model}` : `the model server at ${naming.address}`;
  const checkAddress = naming.address === null ? "Check the network." : `Check ${setting}_BASE_URL and that it runs.`;
  switch (problem.kind) {
    case "refused":
      return explainProviderError(problem, naming);
    case "unreachable":
      return {
        trouble: "unreachable",
        message: `There is no connection to ${server} (${problem.code}). ${checkAddress}`,
      };
    case "silent":
      return {
        trouble: "timed_out",
        message:
          `${model} did not answer in time: nothing came for ${Math.round(silenceMs / 1_000)} s, or its answer took too long. ` +
          "Set ERRAND_MODEL_TIMEOUT_SECONDS higher, or choose a faster model.",
      };
    case "cut":
      return {
        trouble: "unreachable",
        message: `The answers of ${server} break off or are not those of a model. ${checkAddress}`,
      };
    case "not_a_model":
      return {
        trouble: "unreachable",
        message:
          `At the address of ${model} there is something else (status ${problem.status}). ` +
          `Set ${setting}_BASE_URL to the address of the model's interface; it usually ends in /v1. Redirects are not followed.`,
      };
    case "too_long":
    case "not_streamed":
      return {
        trouble: "unusable",
        message: `${model} gives no answer that can be read. Choose another in ${setting}.`,
      };
  }
}

function explainProviderError(refusal: ProviderError, { model, setting }: Naming): Explanation {
  const { status, code } = refusal;
  const told = code === null ? `status ${status}` : `status ${status}, ${code}`;
  if (isOutOfCredit(refusal)) {
    return {
      trouble: "rate_limited",
      message: `The account for ${model} has no credit left (${told}). Add credit there.`,
    };
  }
  if (status === 401 || status === 403) {
    return {
      trouble: "unauthorized",
      message: `The key for ${model} is refused (${told}). Set ${setting}_API_KEY to a key that may use this model.`,
    };
  }
  if (status === 429) {
    const waits =
      refusal.retryAfterMs === null ? "" : ` and wants us to wait ${Math.ceil(refusal.retryAfterMs / 1_000)} s`;
    return {
      trouble: "rate_limited",
      message: `The provider of ${model} limits how often it is asked${waits} (${told}). Raise the limit there, or lower ERRAND_CONCURRENCY.`,
    };
  }
  if (status === 408)
    return { trouble: "timed_out", message: `${model} took too long for its provider (${told}). Try later.` };
  if (status >= 500) {
    return {
      trouble: "overloaded",
      message: `The provider of ${model} is overloaded or failing (${told}). Try later.`,
    };
  }
  if (isTooLong(refusal)) {
    return {
      trouble: "rejected",
      message: `The prompt is too long for ${model} (${told}). Choose a model with a larger context in ${setting}.`,
    };
  }
  const action =
    status === 404 || code === "model_not_found"
      ? `Check the model's name in ${setting}, and ${setting}_BASE_URL if it is set; it usually ends in /v1.`
      : `errand doctor says more; or choose another model in ${setting}.`;
  return { trouble: "rejected", message: `The provider of ${model} refuses the request (${told}). ${action}` };
}
