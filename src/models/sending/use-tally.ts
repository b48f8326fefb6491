import { estimateTokens } from "../../lib/estimate-tokens.ts";
import type { ModelUse } from "../model.ts";
import type { CallOptions, FinishPart } from "./language-model.ts";

/** About what providers count for a screenshot. */
const IMAGE_TOKENS = 1_200;
/** A number beyond this is a mistake of the server, or worse. */
const MAX_BELIEVABLE = 50_000_000;

/** Adds up what one question costs over all its requests. */
export class UseTally {
  #inputTokens = 0;
  #cachedInputTokens = 0;
  #outputTokens = 0;
  #requests = 0;

  countRequest(): void {
    this.#requests += 1;
  }

  /** An answer that came whole. What its server does not report is estimated. */
  countAnswer(request: CallOptions, usage: FinishPart["usage"], received: () => string): void {
    const input = believable(usage.inputTokens.total) ?? estimateInput(request);
    this.#inputTokens += input;
    this.#cachedInputTokens += Math.min(input, believable(usage.inputTokens.cacheRead) ?? 0);
    this.#outputTokens += believable(usage.outputTokens.total) ?? estimateTokens(received());
  }

  /** An answer that broke off: the provider has read the question and written what came. */
  countBroken(request: CallOptions, received: string): void {
    if (received === "") return;
    this.#inputTokens += estimateInput(request);
    this.#outputTokens += estimateTokens(received);
  }

  toUse(model: string, durationMs: number): ModelUse {
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
function believable(count: number | undefined): number | undefined {
  return Number.isSafeInteger(count) && (count ?? 0) > 0 && (count ?? 0) <= MAX_BELIEVABLE ? count : undefined;
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
