export const MODEL_PROVIDERS = ["anthropic", "openai", "google", "openai-compatible"] as const;

export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

/** A model as settings name it: `provider:model`. */
export interface ModelSpec {
  readonly provider: ModelProvider;
  /** As the provider calls it; it may hold colons and slashes. */
  readonly model: string;
}

/** Throws an Error whose message says what to write. */
export function parseModelSpec(text: string): ModelSpec {
  const colon = text.indexOf(":");
  const provider = MODEL_PROVIDERS.find((name) => name === text.slice(0, Math.max(colon, 0)));
  const model = text.slice(colon + 1);
  if (provider === undefined || !/^\S{1,200}$/.test(model)) {
    throw new Error(
      `must be provider:model, such as openai-compatible:qwen3:8b, with one of the providers ${MODEL_PROVIDERS.join(", ")}`,
    );
  }
  return { provider, model };
}
