export const MODEL_PROVIDERS = ["anthropic", "openai", "google", "openai-compatible"] as const;

export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

/** A model as named in the settings: `provider:model`. */
export interface ModelSpec {
  readonly provider: ModelProvider;
  /** The provider's name for it; may contain colons and slashes. */
  readonly model: string;
}

/** Throws an Error whose message says what is expected. */
export function parseModelSpec(text: string): ModelSpec {
  const colon = text.indexOf(":");
  const provider = MODEL_PROVIDERS.find((name) => name === text.slice(0, Math.max(colon, 0)));
  const model = text.slice(colon + 1);
  if (provider === undefined || !/^\S{1,200}$/.test(model)) {
    throw new Error(
      `must be provider:model, such as openai-compatible:qwen3:8b; the providers are ${MODEL_PROVIDERS.join(", ")}`,
    );
  }
  return { provider, model };
}
