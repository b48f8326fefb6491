/**
 * A language model as the agent uses one: it is asked, and it answers by calling tools. Trying again, time limits, models
 * without tool calls and the repair of malformed calls are the model's own affair, not its user's.
 */
export interface Model {
  /** Such as "openai-compatible:qwen3". */
  readonly name: string;
  /** False once it is known that it cannot look at pictures: they are left out then. */
  readonly seesImages: boolean;
  /** Answers at least one call, each of a tool that was offered and with an input that fits it; else a ModelFailure. */
  ask(question: ModelRequest, signal: AbortSignal): Promise<ModelResponse>;
}

export interface ModelRequest {
  /** Who it is and what the rules are. Our own words alone: never one from a page or a caller. */
  readonly system: string;
  /** What stays the same through a whole run, so that a provider can keep it. */
  readonly lasting: string;
  /** What is new in this question. */
  readonly parts: readonly Part[];
  readonly tools: readonly Tool[];
  /** How many calls of one answer are taken; what comes after them is left out. */
  readonly maxCalls: number;
  /** Told once what the question has cost, if anything, however it ends: one that is broken off has no answer to say it. */
  readonly onUse?: ((use: ModelUsage) => void) | undefined;
}

export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly data: Buffer; readonly contentType: string };

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ModelResponse {
  readonly calls: readonly ToolCall[];
  /** What it said beside its calls. */
  readonly text: string;
  readonly use: ModelUsage;
}

/** What asking has cost, repairs and failed attempts included. */
export interface ModelUsage {
  readonly model: string;
  readonly inputTokens: number;
  /** Of those, what the provider had kept from before. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly durationMs: number;
  /** Requests that were sent. */
  readonly requests: number;
}

export const MODEL_FAILURE_KINDS = [
  /** No answer: wrong address, no connection, no such host. */
  "unreachable",
  /** The key is wrong or missing, or the account may not use the model. */
  "unauthorized",
  /** The provider says the request is wrong: no such model, too long a prompt. */
  "rejected",
  "rate_limited",
  "overloaded",
  "timed_out",
  /** It answered, but with nothing that can be used, also after it was told what is wrong. */
  "unusable",
] as const;
export type ModelFailureKind = (typeof MODEL_FAILURE_KINDS)[number];

/** The model cannot be had. The message says what to do and holds no secret and no part of a page. */
export class ModelFailure extends Error {
  readonly trouble: ModelFailureKind;
  /** What was spent all the same. */
  readonly use: ModelUsage | null;

  constructor(trouble: ModelFailureKind, message: string, use: ModelUsage | null = null, options?: ErrorOptions) {
    super(message, options);
    this.trouble = trouble;
    this.use = use;
  }
}
