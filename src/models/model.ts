/**
 * A language model as the agent uses it: it responds to a request by calling tools. Retries, timeouts, models without tool
 * calls and the correction of malformed calls are handled inside.
 */
export interface Model {
  /** Such as "openai-compatible:qwen3". */
  readonly name: string;
  /** False once it is known not to support images: they are then left out. */
  readonly seesImages: boolean;
  /** Returns at least one call, each of an offered tool and with valid input. Throws ModelFailure. */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelResponse>;
}

export interface ModelRequest {
  /** The role and the rules. Our own words only: never anything from a page or a caller. */
  readonly system: string;
  /** What stays the same for a whole run, so that providers can cache it. */
  readonly stablePrompt: string;
  /** What is new in this request. */
  readonly parts: readonly Part[];
  readonly tools: readonly Tool[];
  /** How many calls of the response are used; the rest is ignored. */
  readonly maxCalls: number;
  /** Called once with what was spent, if anything, however the request ends: also when it fails or is aborted. */
  readonly onUsage?: ((usage: ModelUsage) => void) | undefined;
}

export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly data: Buffer; readonly contentType: string };

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly input: Readonly<Record<string, unknown>>;
  /**
   * The tool takes a list `actions`, each with the name of one of these tools as `action` and with its input. They are
   * returned as calls of these tools. A direct call of one of them is accepted too.
   */
  readonly batchOf?: readonly Tool[];
}

export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ModelResponse {
  readonly calls: readonly ToolCall[];
  /** What it wrote besides its calls. */
  readonly text: string;
  readonly usage: ModelUsage;
}

/** What a request has cost, including corrections and failed attempts. */
export interface ModelUsage {
  readonly model: string;
  readonly inputTokens: number;
  /** Of those, the ones from the provider's cache. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly durationMs: number;
  /** HTTP requests that were sent. */
  readonly requests: number;
}

export const MODEL_FAILURE_KINDS = [
  /** No response: wrong URL, no connection, no such host. */
  "unreachable",
  /** The key is wrong or missing, or the account may not use the model. */
  "unauthorized",
  /** The provider rejects the request: no such model, prompt too long. */
  "rejected",
  "rate_limited",
  "overloaded",
  "timed_out",
  /** It responded without usable calls, even after corrections. */
  "unusable",
] as const;
export type ModelFailureKind = (typeof MODEL_FAILURE_KINDS)[number];

/** The model is not available or not usable. The message says what to do, and contains no secret and no page content. */
export class ModelFailure extends Error {
  readonly kind: ModelFailureKind;
  /** What was spent nevertheless. */
  readonly usage: ModelUsage | null;

  constructor(kind: ModelFailureKind, message: string, usage: ModelUsage | null = null, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.usage = usage;
  }
}
