import type { ModelRequest } from "./model-request.ts";

/** A call as the model makes it. `arguments` is sent unchanged, for calls that are not valid JSON. */
export type ScriptedCall = { name: string; input: unknown } | { name: string; arguments: string };

export interface ScriptedAnswer {
  calls?: ScriptedCall[];
  text?: string;
  /** "length" is an answer that reached the token limit. */
  finish?: string;
  /** Null reports none. The default is a quarter of the characters. */
  usage?: ScriptedUsage | null;
  /** In the middle of the answer: the connection breaks, the answer ends as if it were complete, or nothing more is sent. */
  midway?: "break" | "end" | "hang";
}

export interface ScriptedUsage {
  input: number;
  output: number;
  cached?: number;
}

/** The whole answer, not streamed. */
export function completionOf(request: ModelRequest, answer: ScriptedAnswer): object {
  const calls = answer.calls ?? [];
  return {
    id: "completion",
    object: "chat.completion",
    created: 0,
    model: request.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: answer.text ?? null,
          ...(calls.length > 0 && { tool_calls: calls.map((call, index) => wireCall(call, index)) }),
        },
        finish_reason: finishOf(answer),
      },
    ],
    ...(answer.usage !== null && { usage: usageOf(request, answer) }),
  };
}

/** The same answer as streamed chunks: texts and arguments are split in half. */
export function completionChunks(request: ModelRequest, answer: ScriptedAnswer): object[] {
  const chunk = (delta: object, finish: string | null = null) => ({
    id: "completion",
    object: "chat.completion.chunk",
    created: 0,
    model: request.model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const chunks: object[] = [chunk({ role: "assistant", content: "" })];
  for (const piece of halvesOf(answer.text ?? "")) chunks.push(chunk({ content: piece }));
  for (const [index, call] of (answer.calls ?? []).entries()) {
    const whole = wireCall(call, index);
    const [first = "", ...rest] = halvesOf(whole.function.arguments);
    chunks.push(chunk({ tool_calls: [{ ...whole, index, function: { name: call.name, arguments: first } }] }));
    for (const piece of rest) chunks.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
  }
  chunks.push(chunk({}, finishOf(answer)));
  if (request.wantsUsage && answer.usage !== null) {
    chunks.push({ ...chunk({}), choices: [], usage: usageOf(request, answer) });
  }
  return chunks;
}

export function eventOf(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function wireCall(call: ScriptedCall, index: number) {
  const text = "arguments" in call ? call.arguments : JSON.stringify(declare(call.name, call.input));
  return { id: `call_${index}`, type: "function", function: { name: call.name, arguments: text } };
}

const DECLARED: ReadonlySet<string> = new Set(["click", "press", "select", "check", "dialog", "drag", "fill", "edit"]);

/** A model that does as it is told says what each action sends. `commit: null` in a script leaves that out. */
function declare(name: string, input: unknown): unknown {
  if (typeof input !== "object" || input === null || "commit" in input) return input;
  if ("actions" in input && Array.isArray(input.actions)) {
    return { ...input, actions: input.actions.map((item) => declare(String(item?.action), item)) };
  }
  const { label, key } = input as { label?: string; key?: string };
  // Without either, the call is for a model and not for a page.
  if (!DECLARED.has(name) || (label === undefined && key === undefined)) return input;
  return { ...input, commit: `${name[0]?.toUpperCase()}${name.slice(1)} "${label ?? key}"` };
}

function finishOf({ finish, calls = [] }: ScriptedAnswer): string {
  return finish ?? (calls.length > 0 ? "tool_calls" : "stop");
}

function usageOf(request: ModelRequest, answer: ScriptedAnswer): object {
  const said = `${answer.text ?? ""}${JSON.stringify(answer.calls ?? [])}`;
  const input = answer.usage?.input ?? Math.ceil(JSON.stringify(request.body).length / 4);
  const output = answer.usage?.output ?? Math.ceil(said.length / 4);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: answer.usage?.cached ?? 0 },
  };
}

function halvesOf(text: string): string[] {
  if (text.length < 2) return text === "" ? [] : [text];
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
