import { Counter } from "prom-client";
import { inSpan } from "../lib/tracing.ts";
import { MODEL_FAILURE_KINDS, type Model, ModelFailure, type ModelUsage } from "./model.ts";

/** In the registry of the process, where /metrics finds them. */
const tokens = new Counter({
  name: "errand_model_tokens_total",
  help: "Tokens that models took and gave; cached ones are part of the input.",
  labelNames: ["model", "kind"],
});
const requests = new Counter({
  name: "errand_model_requests_total",
  help: "Requests to models, repairs and repetitions included.",
  labelNames: ["model"],
});
const seconds = new Counter({
  name: "errand_model_seconds_total",
  help: "How long models were waited for.",
  labelNames: ["model"],
});

const failures = new Counter({
  name: "errand_model_failures_total",
  help: "Questions to models that were given up, by what was wrong.",
  labelNames: ["model", "reason"],
});

/** The same model, with what it takes counted for the whole process. */
export function withMetrics(model: Model): Model {
  // An alert on an increase sees the first ones only if there was a zero before them.
  for (const reason of MODEL_FAILURE_KINDS) failures.inc({ model: model.name, reason }, 0);
  return {
    name: model.name,
    get seesImages() {
      return model.seesImages;
    },
    ask(question, signal) {
      return inSpan("model.ask", { "errand.model": model.name }, (span) => {
        const onUse = (use: ModelUsage) => {
          count(use);
          span?.set({ "errand.input_tokens": use.inputTokens, "errand.output_tokens": use.outputTokens });
          question.onUse?.(use);
        };
        return model.ask({ ...question, onUse }, signal).catch((error: unknown) => {
          countFailure(model.name, error);
          throw error;
        });
      });
    },
  };
}

/** One that was called off is no failure of the model. */
function countFailure(model: string, error: unknown): void {
  if (error instanceof ModelFailure) failures.inc({ model, reason: error.trouble });
}

function count({ model, inputTokens, cachedInputTokens, outputTokens, durationMs, requests: sent }: ModelUsage): void {
  tokens.inc({ model, kind: "input" }, inputTokens);
  tokens.inc({ model, kind: "cached" }, cachedInputTokens);
  tokens.inc({ model, kind: "output" }, outputTokens);
  requests.inc({ model }, sent);
  seconds.inc({ model }, durationMs / 1_000);
}
