import { tellDuration } from "../../../parts/duration.tsx";
import { isRecord, readNumber, readText } from "./read-data.ts";

/** What asking a model took. */
export interface Cost {
  model: string;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  durationMs: number;
  requests: number;
}

export function readCost(value: unknown): Cost | null {
  if (!isRecord(value)) return null;
  return {
    model: readText(value["model"]),
    inputTokens: readNumber(value["input_tokens"]) ?? 0,
    cachedTokens: readNumber(value["cached_input_tokens"]) ?? 0,
    outputTokens: readNumber(value["output_tokens"]) ?? 0,
    durationMs: readNumber(value["duration_ms"]) ?? 0,
    requests: readNumber(value["requests"]) ?? 0,
  };
}

export function tellCost({ inputTokens, cachedTokens, outputTokens, durationMs }: Cost): string {
  const count = (tokens: number) => tokens.toLocaleString("en");
  const cached = cachedTokens === 0 ? "" : ` (${count(cachedTokens)} cached)`;
  return `${count(inputTokens)} tokens in${cached}, ${count(outputTokens)} out, ${tellDuration(durationMs)} of thinking`;
}
