import type { Model, ModelUse } from "../models/model.ts";

/** The run has used up the tokens it may use. */
export class TokensSpent extends Error {}

/** Counts what a run spends on models, and ends it when that is too much. */
export class CostMeter {
  readonly #maxTokens: number;
  #total: ModelUse | null = null;
  #sinceTaken: ModelUse | null = null;

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
        const onUse = (use: ModelUse) => {
          meter.#add(use);
          question.onUse?.(use);
        };
        return await model.ask({ ...question, onUse }, signal);
      },
    };
  }

  /** Everything so far; null when no model was asked. */
  get total(): ModelUse | null {
    return this.#total;
  }

  /** How much of what may be spent is spent: 1 is all of it. */
  get share(): number {
    return this.#total === null ? 0 : tokensOf(this.#total) / this.#maxTokens;
  }

  /** What was spent since this was last asked. */
  take(): ModelUse | null {
    const use = this.#sinceTaken;
    this.#sinceTaken = null;
    return use;
  }

  #add(use: ModelUse): void {
    this.#total = sum(this.#total, use);
    this.#sinceTaken = sum(this.#sinceTaken, use);
  }

  #throwIfSpent(): void {
    if (this.share < 1) return;
    throw new TokensSpent(`The run has used its ${this.#maxTokens} tokens.`);
  }
}

function tokensOf({ inputTokens, outputTokens }: ModelUse): number {
  return inputTokens + outputTokens;
}

function sum(one: ModelUse | null, other: ModelUse): ModelUse {
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
