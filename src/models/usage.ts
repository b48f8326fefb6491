import { estimateTokens } from "../lib/estimate-tokens.ts";
import type { Model, ModelUsage } from "./model.ts";
import type { CallOptions, FinishPart } from "./provider-models.ts";

/** About what providers count for a screenshot. */
const IMAGE_TOKENS = 1_200;
/** A number beyond this is a mistake of the server, or worse. */
const MAX_PLAUSIBLE_TOKENS = 50_000_000;

/** Adds up what one question costs over all its requests. */
export class UsageTally {
  #inputTokens = 0;
  #cachedInputTokens = 0;
  #outputTokens = 0;
  #requests = 0;

  countRequest(): void {
    this.#requests += 1;
  }

  /** An answer that came whole. What its server does not report is estimated. */
  countAnswer(request: CallOptions, usage: FinishPart["usage"], received: () => string): void {
    const input = toPlausibleCount(usage.inputTokens.total) ?? estimateInput(request);
    this.#inputTokens += input;
    this.#cachedInputTokens += Math.min(input, toPlausibleCount(usage.inputTokens.cacheRead) ?? 0);
    this.#outputTokens += toPlausibleCount(usage.outputTokens.total) ?? estimateTokens(received());
  }

  /** An answer that broke off: the provider has read the question and written what came. */
  countBroken(request: CallOptions, received: string): void {
    if (received === "") return;
    this.#inputTokens += estimateInput(request);
    this.#outputTokens += estimateTokens(received);
  }

  toUse(model: string, durationMs: number): ModelUsage {
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

/** A server that sends zeros reports nothing: no question is empty. */
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

/** The run has used up the tokens it may use. */
export class TokensSpent extends Error {}

/** Counts what a run spends on models, and ends it when that is too much. */
export class CostMeter {
  readonly #maxTokens: number;
  #total: ModelUsage | null = null;
  #sinceTaken: ModelUsage | null = null;

  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens;
  }

  /** The same model, with everything it costs counted here. */
  follow(model: Model): Model {
    const meter = this;
    return {
      name: model.name,
      get seesImages() {
        return model.seesImages;
      },
      async ask(question, signal) {
        meter.#throwIfSpent();
        const onUse = (use: ModelUsage) => {
          meter.#add(use);
          question.onUse?.(use);
        };
        return await model.ask({ ...question, onUse }, signal);
      },
    };
  }

  /** Everything so far; null when no model was asked. */
  get total(): ModelUsage | null {
    return this.#total;
  }

  /** How much of what may be spent is spent: 1 is all of it. */
  get share(): number {
    return this.#total === null ? 0 : tokensOf(this.#total) / this.#maxTokens;
  }

  /** What was spent since this was last asked. */
  take(): ModelUsage | null {
    const use = this.#sinceTaken;
    this.#sinceTaken = null;
    return use;
  }

  #add(use: ModelUsage): void {
    this.#total = addUsage(this.#total, use);
    this.#sinceTaken = addUsage(this.#sinceTaken, use);
  }

  #throwIfSpent(): void {
    if (this.share < 1) return;
    throw new TokensSpent(`The run has used its ${this.#maxTokens} tokens.`);
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

/** What asking models took, as it is told to people: a part of events on the wire. */
export interface Cost {
  readonly model: string;
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly duration_ms: number;
  readonly requests: number;
}

export function toCost(use: ModelUsage | null): Cost | null {
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
