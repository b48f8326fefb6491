import { setTimeout as sleepFor } from "node:timers/promises";
import { type Clock, systemClock } from "../lib/clock.ts";
import { type Asker, ask } from "./ask.ts";
import { assumeAllCapabilities } from "./capabilities.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { type Model, ModelFailure } from "./model.ts";
import { parseModelSpec } from "./model-spec.ts";
import { type AttemptProblem, explainProblem } from "./provider-failure.ts";
import { loadLanguageModel } from "./provider-models.ts";
import { ToolChecker } from "./read-calls.ts";

export interface ModelOptions {
  /** As `provider:model`. */
  readonly spec: string;
  /** Null for the provider's own URL. An openai-compatible model needs one. */
  readonly baseUrl: string | null;
  /** Null for servers that need none. */
  readonly apiKey: string | null;
  /** How long to wait while nothing is received. */
  readonly silenceMs?: number;
  /** How long one request waits for a model that is down or overloaded. */
  readonly patienceMs?: number;
  readonly maxOutputTokens?: number;
  /** The setting that names the model, for messages; those for its URL and key start with it. */
  readonly setting?: string;
  /** Adds the provider's message to failures. Only for requests without secrets, because it may repeat them. */
  readonly quotesProvider?: boolean;
  readonly clock?: Clock;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly random?: () => number;
}

/** A provider's model, with what is known about it by now. */
export interface ProviderModel extends Model {
  /** False once it is known to need its tools described in the prompt. */
  readonly callsTools: boolean;
}

const SILENCE_MS = 120_000;
const PATIENCE_MS = 180_000;
/** The limit for a response that arrives slowly, as a multiple of the longest silence. */
const SILENCES_PER_RESPONSE = 5;
const MAX_OUTPUT_TOKENS = 16_384;
/** A streamed token takes about 200 bytes. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const MAX_QUOTE_LENGTH = 300;

/** Sends nothing yet. Throws ModelFailure for an invalid spec or missing access. */
export async function createModel(options: ModelOptions): Promise<ProviderModel> {
  const {
    spec: name,
    baseUrl,
    apiKey,
    silenceMs = SILENCE_MS,
    setting = "ERRAND_MODEL",
    clock = systemClock,
  } = options;
  const spec = parseSpec(name, setting);
  requireAccess(options, spec.provider, setting);
  const limits = { silenceMs, totalMs: silenceMs * SILENCES_PER_RESPONSE, maxBytes: MAX_RESPONSE_BYTES };
  const capabilities = assumeAllCapabilities();
  const asker: Asker = {
    name,
    provider: spec.provider,
    model: await loadLanguageModel(spec, { baseUrl, apiKey, fetch: createGuardedFetch(limits, clock) }),
    capabilities,
    checker: new ToolChecker(),
    sleep: options.sleep ?? ((ms, signal) => sleepFor(ms, undefined, { signal })),
    random: options.random ?? Math.random,
    patienceMs: options.patienceMs ?? PATIENCE_MS,
    maxOutputTokens: options.maxOutputTokens ?? MAX_OUTPUT_TOKENS,
    explain(problem) {
      const { kind, message } = explainProblem(problem, { model: name, baseUrl, setting, silenceMs });
      const quote = options.quotesProvider ? quoteOf(problem) : "";
      return { kind, message: withoutKey(`${message}${quote}`, apiKey) };
    },
    unusable: {
      filtered: `The provider of ${name} withheld the response. Choose another model in ${setting}.`,
      malformed: `${name} did not call a tool correctly, even after corrections. Choose a model that supports tool calls in ${setting}.`,
    },
  };
  return {
    name,
    get seesImages() {
      return capabilities.seesImages;
    },
    get callsTools() {
      return capabilities.callsTools;
    },
    ask: (request, signal) => ask(asker, request, signal),
  };
}

function parseSpec(text: string, setting: string) {
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
        `Set ${setting}_BASE_URL to the URL of the model server, such as http://127.0.0.1:11434/v1.`,
      );
    }
  } else if (apiKey === null) {
    throw new ModelFailure("unauthorized", `Set ${setting}_API_KEY to an API key of ${provider}.`);
  }
}

function quoteOf(problem: AttemptProblem): string {
  if (problem.kind !== "refused" || problem.message.trim() === "") return "";
  return ` It says: ${problem.message.replaceAll(/\s+/g, " ").trim().slice(0, MAX_QUOTE_LENGTH)}`;
}

function withoutKey(message: string, apiKey: string | null): string {
  return apiKey === null ? message : message.replaceAll(apiKey, "…");
}
