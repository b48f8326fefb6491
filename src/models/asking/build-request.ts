import type { ModelProvider } from "../../lib/model-spec.ts";
import type { Part, Question, Tool } from "../model.ts";
import type { Habits } from "../sending/habits.ts";
import type { CallOptions, Prompt } from "../sending/language-model.ts";
import { describeToolsInText } from "./tools-in-text.ts";

/** An answer that could not be used, and what the model is told about it. */
export interface Correction {
  readonly said: string;
  readonly problem: string;
}

interface Asking {
  readonly provider: ModelProvider;
  readonly habits: Habits;
  readonly maxOutputTokens: number;
  readonly corrections: readonly Correction[];
}

/** What stays the same comes first, in the same words every time: providers keep the beginning of a prompt. */
export function buildRequest(question: Question, asking: Asking): CallOptions {
  const { habits, provider, maxOutputTokens } = asking;
  return {
    prompt: buildPrompt(question, asking),
    ...(habits.hasOutputLimit && { maxOutputTokens }),
    ...(habits.hasTemperature && { temperature: 0 }),
    ...(habits.callsTools && {
      tools: question.tools.map(toFunctionTool),
      toolChoice: { type: habits.isForced ? "required" : "auto" },
    }),
    // What pages hold is not for the provider to keep.
    ...(provider === "openai" && { providerOptions: { openai: { store: false } } }),
  };
}

type UserContent = Extract<Prompt[number], { role: "user" }>["content"];

/** Anthropic keeps only what is marked. */
const KEPT = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } } as const;

function buildPrompt(question: Question, { provider, habits, corrections }: Asking): Prompt {
  const { system, lasting, tools, maxCalls, parts } = question;
  const marks = provider === "anthropic" ? KEPT : {};
  const head = [
    ...(habits.hasSystemRole ? [] : [system]),
    ...(habits.callsTools ? [] : [describeToolsInText(tools, maxCalls)]),
    lasting,
  ].join("\n\n");
  const seen = parts.filter(({ kind }) => kind === "text" || habits.seesImages);
  const content: UserContent = [{ type: "text", text: head, ...marks }, ...seen.map(toContent)];
  return [
    ...(habits.hasSystemRole ? [{ role: "system", content: system, ...marks } as const] : []),
    { role: "user", content: provider === "anthropic" ? content : joinTexts(content) },
    ...corrections.flatMap(
      ({ said, problem }): Prompt => [
        { role: "assistant", content: [{ type: "text", text: said }] },
        { role: "user", content: [{ type: "text", text: problem }] },
      ],
    ),
  ];
}

function toContent(part: Part): UserContent[number] {
  if (part.kind === "text") return { type: "text", text: part.text };
  return { type: "file", data: { type: "data", data: part.data }, mediaType: part.contentType };
}

/** Small servers know a message as one text, not as a list of parts. */
function joinTexts(content: UserContent): UserContent {
  const joined: UserContent = [];
  for (const part of content) {
    const last = joined.at(-1);
    if (part.type === "text" && last?.type === "text") last.text += `\n\n${part.text}`;
    else joined.push({ ...part });
  }
  return joined;
}

function toFunctionTool({ name, description, input }: Tool) {
  return { type: "function", name, description, inputSchema: input } as const;
}
