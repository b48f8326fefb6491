import { toStorableText } from "../lib/storable.ts";
import type { Capabilities } from "./capabilities.ts";
import { ModelFailure, type ModelRequest, type ModelResponse, type Part, type Tool } from "./model.ts";
import type { ModelProvider } from "./model-spec.ts";
import type { AttemptProblem, Explanation } from "./provider-failure.ts";
import type { CallOptions, Prompt } from "./provider-models.ts";
import { type CallsReading, listToolNames, readCalls, readCallsInText, type ToolChecker } from "./read-calls.ts";
import { type RawResponse, type Sender, sendWithRetries } from "./send.ts";
import { UsageTally } from "./usage.ts";

export interface Asker extends Sender {
  readonly name: string;
  readonly provider: ModelProvider;
  readonly maxOutputTokens: number;
  readonly checker: ToolChecker;
  explain(problem: AttemptProblem): Explanation;
  /** Messages for a model whose responses cannot be used. */
  readonly unusable: { readonly filtered: string; readonly malformed: string };
}

const MAX_CORRECTIONS = 2;
const MAX_TEXT_LENGTH = 20_000;

/** Asks, and asks again with what is wrong, until the response has usable calls. */
export async function ask(asker: Asker, request: ModelRequest, signal: AbortSignal): Promise<ModelResponse> {
  const { capabilities } = asker;
  const tally = new UsageTally();
  const startedMs = performance.now();
  const usage = () => tally.toUsage(asker.name, Math.round(performance.now() - startedMs));
  const fail = ({ kind, message }: Explanation) => new ModelFailure(kind, message, usage());
  const corrections: Correction[] = [];
  let isTryingText = false;
  try {
    while (corrections.length <= MAX_CORRECTIONS) {
      const sent = await sendWithRetries(asker, () => buildRequest(request, { ...asker, corrections }), tally, signal);
      if (sent.outcome === "failed") throw fail(asker.explain(sent.problem));
      const { response } = sent;
      const reading = readResponse(response, request, capabilities.callsTools, asker.checker);
      if (reading.usable) {
        isTryingText = false;
        return { calls: reading.calls, text: textBesideCalls(response), usage: usage() };
      }
      if (response.finish === "content-filter") throw fail({ kind: "unusable", message: asker.unusable.filtered });
      if (capabilities.callsTools && isProse(response) && corrections.length === MAX_CORRECTIONS - 1) {
        // It was asked to call a tool and wrote prose again: perhaps the server did not pass the tools on.
        capabilities.callsTools = false;
        isTryingText = true;
      }
      corrections.push(toCorrection(response, reading.problem, capabilities.callsTools));
    }
    throw fail({ kind: "unusable", message: asker.unusable.malformed });
  } finally {
    const spent = usage();
    if (spent.requests > 0) request.onUsage?.(spent);
    // Only a usable response proves that the tools must be described in text.
    if (isTryingText) capabilities.callsTools = true;
  }
}

function isProse({ calls, text }: RawResponse): boolean {
  return calls.length === 0 && text.trim() !== "";
}

/** Empty when the calls themselves are in the text. */
function textBesideCalls({ calls, text }: RawResponse): string {
  return calls.length === 0 ? "" : toStorableText(text.slice(0, MAX_TEXT_LENGTH));
}

/** The calls of a response. Some models write calls into their text, even when they were given tools. */
function readResponse(
  { calls, text }: RawResponse,
  { tools, maxCalls }: ModelRequest,
  callsTools: boolean,
  checker: ToolChecker,
): CallsReading {
  if (calls.length > 0) return readCalls(calls, tools, maxCalls, checker);
  return readCalls(readCallsInText(text, listToolNames(tools), { alone: callsTools }) ?? [], tools, maxCalls, checker);
}

/** A response that could not be used, and the correction that the model gets. */
interface Correction {
  readonly response: string;
  readonly problem: string;
}

const MAX_CORRECTED_LENGTH = 2_000;

function toCorrection({ calls, text, finish }: RawResponse, problem: string, callsTools: boolean): Correction {
  const lines = [text, ...calls.map(({ name, input }) => `${name} ${input}`)];
  const response = toStorableText(lines.join("\n").slice(0, MAX_CORRECTED_LENGTH)).trim();
  const wrong = finish === "length" ? `it is too long and was cut off; ${problem}` : problem;
  const expected = callsTools
    ? "Respond again, by calling the tools you were given."
    : 'Respond again, with one JSON object {"calls":[{"tool":"…","input":{…}}]} and nothing else.';
  return {
    response: response === "" ? "(nothing)" : response,
    problem: `This response cannot be used: ${wrong}. ${expected}`,
  };
}

interface RequestContext {
  readonly provider: ModelProvider;
  readonly capabilities: Capabilities;
  readonly maxOutputTokens: number;
  readonly corrections: readonly Correction[];
}

/** What stays the same comes first, in the same words every time, because providers cache the beginning of a prompt. */
function buildRequest(request: ModelRequest, context: RequestContext): CallOptions {
  const { capabilities, provider, maxOutputTokens } = context;
  return {
    prompt: buildPrompt(request, context),
    ...(capabilities.hasOutputLimit && { maxOutputTokens }),
    ...(capabilities.hasTemperature && { temperature: 0 }),
    ...(capabilities.callsTools && {
      tools: request.tools.map(toFunctionTool),
      toolChoice: { type: capabilities.acceptsForcedTools ? "required" : "auto" },
    }),
    // The provider must not store page content.
    ...(provider === "openai" && { providerOptions: { openai: { store: false } } }),
  };
}

type UserContent = Extract<Prompt[number], { role: "user" }>["content"];

/** Anthropic caches only what is marked. */
const CACHE_MARK = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } } as const;

function buildPrompt(request: ModelRequest, { provider, capabilities, corrections }: RequestContext): Prompt {
  const { system, stablePrompt, tools, maxCalls, parts } = request;
  const mark = provider === "anthropic" ? CACHE_MARK : {};
  const head = [
    ...(capabilities.hasSystemRole ? [] : [system]),
    ...(capabilities.callsTools ? [] : [describeToolsInText(tools, maxCalls)]),
    stablePrompt,
  ].join("\n\n");
  const visible = parts.filter(({ kind }) => kind === "text" || capabilities.seesImages);
  const content: UserContent = [{ type: "text", text: head, ...mark }, ...visible.map(toContent)];
  return [
    ...(capabilities.hasSystemRole ? [{ role: "system", content: system, ...mark } as const] : []),
    { role: "user", content: provider === "anthropic" ? content : joinTexts(content) },
    ...corrections.flatMap(
      ({ response, problem }): Prompt => [
        { role: "assistant", content: [{ type: "text", text: response }] },
        { role: "user", content: [{ type: "text", text: problem }] },
      ],
    ),
  ];
}

function toContent(part: Part): UserContent[number] {
  if (part.kind === "text") return { type: "text", text: part.text };
  return { type: "file", data: { type: "data", data: part.data }, mediaType: part.contentType };
}

/** Small servers accept a message as one text only, not as a list of parts. */
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

/** For models without tool calls: the tools, and how to call them. */
function describeToolsInText(tools: readonly Tool[], maxCalls: number): string {
  return [
    "You act by calling tools. These are the tools, each with the JSON Schema of its input:",
    ...tools.map(({ name, description, input }) => `${name}: ${description}\ninput: ${JSON.stringify(input)}`),
    `Respond with one JSON object and nothing else, with 1 to ${maxCalls} calls:`,
    '{"calls":[{"tool":"<name of a tool>","input":{…}}]}',
  ].join("\n\n");
}
