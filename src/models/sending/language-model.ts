import type { LanguageModelV4 } from "@ai-sdk/provider";

/** A provider's model as the AI SDK's provider packages give it. */
export type LanguageModel = LanguageModelV4;

export type CallOptions = Parameters<LanguageModel["doStream"]>[0];

export type Prompt = CallOptions["prompt"];

type StreamPart =
  Awaited<ReturnType<LanguageModel["doStream"]>>["stream"] extends ReadableStream<infer Chunk> ? Chunk : never;

export type FinishPart = Extract<StreamPart, { type: "finish" }>;
