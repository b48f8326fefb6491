import { toStorableText } from "../lib/storable.ts";
import type { AttemptProblem } from "./attempt-failure.ts";
import type { Capabilities } from "./capabilities.ts";
import type { Explanation } from "./explain-problem.ts";
import { ModelFailure, type ModelRequest, type ModelResponse, type Part, type Tool } from "./model.ts";
import type { ModelProvider } from "./model-spec.ts";
import type { CallOptions, Prompt } from "./provider-models.ts";
import { type CallsReading, readCalls, readCallsInText, type ToolChecker } from "./read-calls.ts";
import { type RawResponse, type Sender, sendWithRetries } from "./send.ts";
import { UsageTally } from "./usage.ts";

export interface Asker extends Sender {
  readonly name: string;
  readonly provider: ModelProvider;
  readonly maxOutputTokens: number;
  readonly checker: ToolChecker;
  explain(problem: AttemptProblem): Explanation;
  /** What to do about a model whose answers are of no use. */
  readonly unusable: { readonly filtered: string; readonly malformed: string };
}

const MAX_REPAIRS = 2;
const MAX_TEXT_LENGTH = 20_000;

/** Asks, and asks again with what is wrong, until there are calls that can be made. */
export async function ask(asker: Asker, question: ModelRequest, signal: AbortSignal): Promise<ModelResponse> {
  const { habits } = asker;
  const tally = new UsageTally();
  const begunMs = performance.now();
  const use = () => tally.toUse(asker.name, Math.round(performance.now() - begunMs));
  const fail = ({ trouble, message }: Explanation) => new ModelFailure(trouble, message, use());
  const corrections: Correction[] = [];
  let isOnTrial = false;
  try {
    while (corrections.length <= MAX_REPAIRS) {
      const sent = await sendWithRetries(asker, () => buildRequest(question, { ...asker, corrections }), tally, signal);
      if (sent.outcome === "failed") throw fail(asker.explain(sent.problem));
      const { answer } = sent;
      const reading = readResponse(answer, question, habits.callsTools, asker.checker);
      if (reading.usable) {
        isOnTrial = false;
        return { calls: reading.calls, text: textBesideCalls(answer), use: use() };
      }
      if (answer.finish === "content-filter") throw fail({ trouble: "unusable", message: asker.unusable.filtered });
      if (habits.callsTools && isProse(answer) && corrections.length === MAX_REPAIRS - 1) {
        // It was told to call a tool and wrote prose again: perhaps nobody told it of the tools.
        habits.callsTools = false;
        isOnTrial = true;
      }
      corrections.push(toCorrection(answer, reading.problem, habits.callsTools));
    }
    throw fail({ trouble: "unusable", message: asker.unusable.malformed });
  } finally {
    const spent = use();
    if (spent.requests > 0) question.onUse?.(spent);
    // Only an answer that can be used proves that it needs to be asked for text.
    if (isOnTrial) habits.callsTools = true;
  }
}

function isProse({ calls, text }: RawResponse): boolean {
  return calls.length === 0 && text.trim() !== "";
}

/** Where the calls stand in the text, there is nothing beside them. */
function textBesideCalls({ calls, text }: RawResponse): string {
  return calls.length === 0 ? "" : toStorableText(text.slice(0, MAX_TEXT_LENGTH));
}

const MAX_SAID_LENGTH = 2_000;

/** What the model is told about an answer that cannot be used, after the answer itself. */
function toCorrection(answer: RawResponse, problem: string, callsTools: boolean): Correction {
  const calls = answer.calls.map(({ name, input }) => `${name} ${input}`);
  const said = toStorableText([answer.text, ...calls].join("\n").slice(0, MAX_SAID_LENGTH)).trim();
  const wrong = answer.finish === "length" ? `it is too long and was cut off; ${problem}` : problem;
  const wanted = callsTools
    ? "Answer again, by calling the tools you were given."
    : 'Answer again, with one JSON object {"calls":[{"tool":"…","input":{…}}]} and nothing else.';
  return { said: said === "" ? "(nothing)" : said, problem: `That answer cannot be used: ${wrong}. ${wanted}` };
}

/** The calls of an answer. Some models write the call into their text, even when they were given tools. */
function readResponse(
  { calls, text }: RawResponse,
  { tools, maxCalls }: ModelRequest,
  callsTools: boolean,
  checker: ToolChecker,
): CallsReading {
  if (calls.length > 0) return readCalls(calls, tools, maxCalls, checker);
  const names = tools.map(({ name }) => name);
  return readCalls(readCallsInText(text, names, { alone: callsTools }) ?? [], tools, maxCalls, checker);
}

/** An answer that could not be used, and what the model is told about it. */
interface Correction {
  readonly said: string;
  readonly problem: string;
}

interface RequestContext {
  readonly provider: ModelProvider;
  readonly habits: Capabilities;
  readonly maxOutputTokens: number;
  readonly corrections: readonly Correction[];
}

/** What stays the same comes first, in the same words every time: providers keep the beginning of a prompt. */
function buildRequest(question: ModelRequest, asking: RequestContext): CallOptions {
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
const CACHE_MARK = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } } as const;

function buildPrompt(question: ModelRequest, { provider, habits, corrections }: RequestContext): Prompt {
  const { system, lasting, tools, maxCalls, parts } = question;
  const marks = provider === "anthropic" ? CACHE_MARK : {};
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

/** For models that know no tool calls: the tools, and how to answer with them. */
function describeToolsInText(tools: readonly Tool[], maxCalls: number): string {
  return [
    "You act by calling tools. These are the tools, each with the JSON Schema of its input:",
    ...tools.map(({ name, description, input }) => `${name}: ${description}\ninput: ${JSON.stringify(input)}`),
    `Answer with one JSON object and nothing else, with 1 to ${maxCalls} calls:`,
    '{"calls":[{"tool":"<name of a tool>","input":{…}}]}',
  ].join("\n\n");
}
