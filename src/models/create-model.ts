import { setTimeout as sleepFor } from "node:timers/promises";
import { type Clock, systemClock } from "../lib/clock.ts";
import { type Asker, ask } from "./ask.ts";
import type { AttemptProblem } from "./attempt-failure.ts";
import { assumeAllCapabilities } from "./capabilities.ts";
import { explainProblem } from "./explain-problem.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { type Model, ModelFailure } from "./model.ts";
import { parseModelSpec } from "./model-spec.ts";
import { loadLanguageModel } from "./provider-models.ts";
import { ToolChecker } from "./read-calls.ts";

export interface ModelOptions {
  /** As `provider:model`. */
  readonly spec: string;
  /** Where the model is asked; null for the provider's own address. An openai-compatible model needs one. */
  readonly baseUrl: string | null;
  /** Null for servers that want none. */
  readonly apiKey: string | null;
  /** How long a model may be silent. */
  readonly silenceMs?: number;
  /** How long a model that is down or overloaded is waited for, in one question. */
  readonly patienceMs?: number;
  readonly maxOutputTokens?: number;
  /** The setting that names the model, for messages; those of its address and key begin with it. */
  readonly setting?: string;
  /** Adds to a failure what the provider says. Only for questions that hold nothing secret, since it may repeat them. */
  readonly quotesProvider?: boolean;
  readonly clock?: Clock;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly random?: () => number;
}

/** A model as its provider offers it, with what is known of it by now. */
export interface ProviderModel extends Model {
  /** False once it is known to need its tools described in text. */
  readonly callsTools: boolean;
}

const SILENCE_MS = 120_000;
const PATIENCE_MS = 180_000;
/** An answer that drips on has its end here: so many times the longest silence. */
const SILENCES_PER_RESPONSE = 5;
const MAX_OUTPUT_TOKENS = 16_384;
/** A streamed token comes in some 200 bytes. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const MAX_QUOTE_LENGTH = 300;

/** A model, ready to be asked; nothing has been sent yet. A spec or access that cannot work is an error at once. */
export async function createModel(options: ModelOptions): Promise<ProviderModel> {
  const {
    spec: name,
    baseUrl,
    apiKey,
    silenceMs = SILENCE_MS,
    setting = "ERRAND_MODEL",
    clock = systemClock,
  } = options;
  const spec = readSpec(name, setting);
  requireAccess(options, spec.provider, setting);
  const limits = { silenceMs, totalMs: silenceMs * SILENCES_PER_RESPONSE, maxBytes: MAX_RESPONSE_BYTES };
  const habits = assumeAllCapabilities();
  const asker: Asker = {
    name,
    provider: spec.provider,
    model: await loadLanguageModel(spec, { baseUrl, apiKey, fetch: createGuardedFetch(limits, clock) }),
    habits,
    checker: new ToolChecker(),
    sleep: options.sleep ?? ((ms, signal) => sleepFor(ms, undefined, { signal })),
    random: options.random ?? Math.random,
    patienceMs: options.patienceMs ?? PATIENCE_MS,
    maxOutputTokens: options.maxOutputTokens ?? MAX_OUTPUT_TOKENS,
    explain(problem) {
      const { trouble, message } = explainProblem(problem, { model: name, address: baseUrl, setting, silenceMs });
      const quote = options.quotesProvider ? quoteOf(problem) : "";
      return { trouble, message: withoutKey(`${message}${quote}`, apiKey) };
    },
    unusable: {
      filtered: `The provider of ${name} withheld the answer. Choose another model in ${setting}.`,
      malformed: `${name} did not call a tool in a form that can be used, also after it was told. Choose a model that calls tools in ${setting}.`,
    },
  };
  return {
    name,
    get seesImages() {
      return habits.seesImages;
    },
    get callsTools() {
      return habits.callsTools;
    },
    ask: (question, signal) => ask(asker, question, signal),
  };
}

function readSpec(text: string, setting: string) {
  try {
    return parseModelSpec(text);
  } catch (error) {
    throw new ModelFailure("rejected", `${setting} ${(error as Error).message}.`);
  }
}

function requireAccess({ baseUrl, apiKey }: ModelOptions, provider: string, setting: string): void {
  if (provider === "openai-compatible") {
    if (baseUrl === null) {
      throw new ModelFailure(
        "rejected",
        `Set ${setting}_BASE_URL to the address of the model server, such as http://127.0.0.1:11434/v1.`,
      );
    }
  } else if (apiKey === null) {
    throw new ModelFailure("unauthorized", `Set ${setting}_API_KEY to a key of ${provider}.`);
  }
}

function quoteOf(problem: AttemptProblem): string {
  if (problem.kind !== "refused" || problem.words.trim() === "") return "";
  return ` It says: ${problem.words.replaceAll(/\s+/g, " ").trim().slice(0, MAX_QUOTE_LENGTH)}`;
}

function withoutKey(message: string, apiKey: string | null): string {
  return apiKey === null ? message : message.replaceAll(apiKey, "…");
}
