import { estimateTokens } from "../lib/estimate-tokens.ts";
import type { Model, ModelUsage } from "./model.ts";
import type { CallOptions, FinishPart } from "./provider-models.ts";

/** Roughly what providers count for a screenshot. */
const IMAGE_TOKENS = 1_200;
/** A larger count is an error of the server. */
const MAX_PLAUSIBLE_TOKENS = 50_000_000;

/** Adds up the tokens of one request to a model, over all HTTP requests it takes. */
export class UsageTally {
  #inputTokens = 0;
  #cachedInputTokens = 0;
  #outputTokens = 0;
  #requests = 0;

  countRequest(): void {
    this.#requests += 1;
  }

  /** A complete response. Counts that the server does not report are estimated. */
  countResponse(request: CallOptions, usage: FinishPart["usage"], received: () => string): void {
    const input = toPlausibleCount(usage.inputTokens.total) ?? estimateInput(request);
    this.#inputTokens += input;
    this.#cachedInputTokens += Math.min(input, toPlausibleCount(usage.inputTokens.cacheRead) ?? 0);
    this.#outputTokens += toPlausibleCount(usage.outputTokens.total) ?? estimateTokens(received());
  }

  /** A response that broke off: the provider has read the prompt and written what was received. */
  countBroken(request: CallOptions, received: string): void {
    if (received === "") return;
    this.#inputTokens += estimateInput(request);
    this.#outputTokens += estimateTokens(received);
  }

  toUsage(model: string, durationMs: number): ModelUsage {
    return {
      model,
      inputTokens: this.#inputTokens,
      cachedInputTokens: this.#cachedInputTokens,
      outputTokens: this.#outputTokens,
      durationMs,
      requests: this.#requests,
    };
  }
}

/** Zero means that the server does not count: no prompt is empty. */
function toPlausibleCount(count: number | undefined): number | undefined {
  return Number.isSafeInteger(count) && (count ?? 0) > 0 && (count ?? 0) <= MAX_PLAUSIBLE_TOKENS ? count : undefined;
}

function estimateInput({ prompt, tools = [] }: CallOptions): number {
  const pieces = prompt.flatMap(({ content }) =>
    typeof content === "string" ? [estimateTokens(content)] : content.map(estimatePart),
  );
  return pieces.reduce((sum, tokens) => sum + tokens, tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools)));
}

function estimatePart(part: { type: string; text?: string }): number {
  return part.type === "file" ? IMAGE_TOKENS : estimateTokens(part.text ?? "");
}

/** The run has used all of its tokens. */
export class TokensSpent extends Error {}

/** Counts what a run spends on models, and ends the run at its limit. */
export class CostMeter {
  readonly #maxTokens: number;
  #total: ModelUsage | null = null;
  #sinceTaken: ModelUsage | null = null;

  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens;
  }

  /** The same model, with its usage counted here. */
  wrap(model: Model): Model {
    const meter = this;
    return {
      name: model.name,
      get seesImages() {
        return model.seesImages;
      },
      async ask(request, signal) {
        meter.#throwIfSpent();
        const onUsage = (usage: ModelUsage) => {
          meter.#add(usage);
          request.onUsage?.(usage);
        };
        return await model.ask({ ...request, onUsage }, signal);
      },
    };
  }

  /** Everything so far; null when no model was asked. */
  get total(): ModelUsage | null {
    return this.#total;
  }

  /** The share of the limit that is spent: 1 is all of it. */
  get spentShare(): number {
    return this.#total === null ? 0 : tokensOf(this.#total) / this.#maxTokens;
  }

  /** What was spent since the last call of this method. */
  takeSinceLast(): ModelUsage | null {
    const usage = this.#sinceTaken;
    this.#sinceTaken = null;
    return usage;
  }

  #add(usage: ModelUsage): void {
    this.#total = addUsage(this.#total, usage);
    this.#sinceTaken = addUsage(this.#sinceTaken, usage);
  }

  #throwIfSpent(): void {
    if (this.spentShare < 1) return;
    throw new TokensSpent(`The run has used all of its ${this.#maxTokens} tokens.`);
  }
}

function tokensOf({ inputTokens, outputTokens }: ModelUsage): number {
  return inputTokens + outputTokens;
}

function addUsage(one: ModelUsage | null, other: ModelUsage): ModelUsage {
  if (one === null) return other;
  return {
    model: [...new Set([...one.model.split(", "), ...other.model.split(", ")])].join(", "),
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    durationMs: one.durationMs + other.durationMs,
    requests: one.requests + other.requests,
  };
}

/** Model usage as part of events on the wire. */
export interface Cost {
  readonly model: string;
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly duration_ms: number;
  readonly requests: number;
}

export function toCost(usage: ModelUsage | null): Cost | null {
  if (usage === null) return null;
  return {
    model: usage.model,
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    duration_ms: Math.round(usage.durationMs),
    requests: usage.requests,
  };
}
