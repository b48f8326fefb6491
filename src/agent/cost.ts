import type { ModelUse } from "../models/model.ts";

/** What asking models took, as it is told to people: a part of events on the wire. */
export interface Cost {
  readonly model: string;
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly duration_ms: number;
  readonly requests: number;
}

export function toCost(use: ModelUse | null): Cost | null {
  if (use === null) return null;
  return {
    model: use.model,
    input_tokens: use.inputTokens,
    cached_input_tokens: use.cachedInputTokens,
    output_tokens: use.outputTokens,
    duration_ms: Math.round(use.durationMs),
    requests: use.requests,
  };
}
