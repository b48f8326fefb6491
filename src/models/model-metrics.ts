import { Counter } from "prom-client";
import { inSpan } from "../lib/tracing.ts";
import { MODEL_FAILURE_KINDS, type Model, ModelFailure, type ModelUsage } from "./model.ts";

/** In the default registry, which /metrics serves. */
const tokens = new Counter({
  name: "errand_model_tokens_total",
  help: "Tokens sent to and received from models; cached ones are part of the input.",
  labelNames: ["model", "kind"],
});
const requests = new Counter({
  name: "errand_model_requests_total",
  help: "HTTP requests to models, including corrections and retries.",
  labelNames: ["model"],
});
const seconds = new Counter({
  name: "errand_model_seconds_total",
  help: "Time spent waiting for models.",
  labelNames: ["model"],
});

const failures = new Counter({
  name: "errand_model_failures_total",
  help: "Failed requests to models, by reason.",
  labelNames: ["model", "reason"],
});

/** The same model, with its usage counted for the whole process. */
export function withMetrics(model: Model): Model {
  // An alert on an increase notices the first failure only if there was a zero before it.
  for (const reason of MODEL_FAILURE_KINDS) failures.inc({ model: model.name, reason }, 0);
  return {
    name: model.name,
    get seesImages() {
      return model.seesImages;
    },
    ask(request, signal) {
      return inSpan("model.ask", { "errand.model": model.name }, (span) => {
        const onUsage = (usage: ModelUsage) => {
          count(usage);
          span?.set({ "errand.input_tokens": usage.inputTokens, "errand.output_tokens": usage.outputTokens });
          request.onUsage?.(usage);
        };
        return model.ask({ ...request, onUsage }, signal).catch((error: unknown) => {
          countFailure(model.name, error);
          throw error;
        });
      });
    },
  };
}

/** An aborted request is not a failure of the model. */
function countFailure(model: string, error: unknown): void {
  if (error instanceof ModelFailure) failures.inc({ model, reason: error.kind });
}

function count({ model, inputTokens, cachedInputTokens, outputTokens, durationMs, requests: sent }: ModelUsage): void {
  tokens.inc({ model, kind: "input" }, inputTokens);
  tokens.inc({ model, kind: "cached" }, cachedInputTokens);
  tokens.inc({ model, kind: "output" }, outputTokens);
  requests.inc({ model }, sent);
  seconds.inc({ model }, durationMs / 1_000);
}
