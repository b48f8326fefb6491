import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelSpec } from "./model-spec.ts";

interface ProviderAccess {
  /** Null: the provider's own URL. */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly fetch: typeof fetch;
}

/**
 * Loads only the package of the provider that is used. URL and key are always passed: otherwise the packages would read
 * them from the environment, bypassing the settings.
 */
export async function loadLanguageModel(spec: ModelSpec, access: ProviderAccess): Promise<LanguageModel> {
  const { baseUrl, fetch } = access;
  const apiKey = access.apiKey ?? "";
  switch (spec.provider) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL: baseUrl ?? "https://api.anthropic.com/v1", apiKey, fetch })(spec.model);
    }
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ baseURL: baseUrl ?? "https://api.openai.com/v1", apiKey, fetch })(spec.model);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      const baseURL = baseUrl ?? "https://generativelanguage.googleapis.com/v1beta";
      return createGoogle({ baseURL, apiKey, fetch })(spec.model);
    }
    case "openai-compatible":
      return loadCompatible(spec.model, access);
  }
}

async function loadCompatible(model: string, { baseUrl, apiKey, fetch }: ProviderAccess): Promise<LanguageModel> {
  if (baseUrl === null) throw new Error("An openai-compatible model needs a base URL.");
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  const settings = { name: "compatible", baseURL: baseUrl, fetch, includeUsage: true };
  return createOpenAICompatible(apiKey === null ? settings : { ...settings, apiKey }).languageModel(model);
}

/** A model of one of the AI SDK's provider packages. */
export type LanguageModel = LanguageModelV4;

export type CallOptions = Parameters<LanguageModel["doStream"]>[0];

export type Prompt = CallOptions["prompt"];

type StreamPart =
  Awaited<ReturnType<LanguageModel["doStream"]>>["stream"] extends ReadableStream<infer Chunk> ? Chunk : never;

export type FinishPart = Extract<StreamPart, { type: "finish" }>;
