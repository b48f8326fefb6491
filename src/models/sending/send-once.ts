import { AttemptFailure, problemOf } from "./attempt-failure.ts";
import { EVENT_STREAM } from "./guarded-fetch.ts";
import type { CallOptions, FinishPart, LanguageModel } from "./language-model.ts";
import { readStreamedRefusal } from "./read-refusal.ts";

/** An answer that came whole; what is in it is not checked yet. */
export interface RawAnswer {
  readonly calls: readonly RawCall[];
  readonly text: string;
  readonly finish: FinishPart["finishReason"]["unified"];
  readonly usage: FinishPart["usage"];
}

interface RawCall {
  readonly name: string;
  /** JSON, or what the model takes for it. */
  readonly input: string;
}

/** Of everything a model says in one answer, its thoughts included. */
const MAX_ANSWER_CHARACTERS = 400_000;

/** One request. What `received` was given has been paid for, also when the answer then breaks off. */
export async function sendOnce(
  model: LanguageModel,
  options: CallOptions,
  streamed: boolean,
  received: (text: string) => void,
): Promise<RawAnswer> {
  return streamed ? await collect(model, options, received) : await generate(model, options);
}

async function generate(model: LanguageModel, options: CallOptions): Promise<RawAnswer> {
  const { content, finishReason, usage } = await model.doGenerate(options);
  const calls = content.flatMap((part) =>
    part.type === "tool-call" ? [{ name: part.toolName, input: part.input }] : [],
  );
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const characters = calls.reduce((sum, { input }) => sum + input.length, text.length);
  if (characters > MAX_ANSWER_CHARACTERS) throw new AttemptFailure({ kind: "too_long" });
  return { calls, text, finish: finishReason.unified, usage };
}

async function collect(
  model: LanguageModel,
  options: CallOptions,
  received: (text: string) => void,
): Promise<RawAnswer> {
  const { stream } = await model.doStream({ ...options, headers: { accept: EVENT_STREAM } });
  const calls: RawCall[] = [];
  let text = "";
  let characters = 0;
  let finish: FinishPart | null = null;
  for await (const part of stream) {
    if (part.type === "error") throw failureIn(part.error);
    if ("delta" in part) {
      received(part.delta);
      characters += part.delta.length;
    }
    if (characters > MAX_ANSWER_CHARACTERS) throw new AttemptFailure({ kind: "too_long" });
    if (part.type === "text-delta") text += part.delta;
    if (part.type === "tool-call") calls.push({ name: part.toolName, input: part.input });
    if (part.type === "finish") finish = part;
  }
  if (finish === null || brokeOff(finish)) throw new AttemptFailure({ kind: "cut" });
  return { calls, text, finish: finish.finishReason.unified, usage: finish.usage };
}

/** What the provider says is an object; an Error is the SDK's, which could not read what came. */
function failureIn(error: unknown): AttemptFailure {
  return new AttemptFailure(error instanceof Error ? problemOf(error) : readStreamedRefusal(error));
}

/** A stream that ends without the provider's word that it is at its end is half an answer, however whole it looks. */
function brokeOff({ finishReason: { unified, raw } }: FinishPart): boolean {
  return unified === "error" || unified === "interrupted" || (unified === "other" && raw === undefined);
}
