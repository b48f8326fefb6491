import { type ModelProvider, parseModelSpec } from "../lib/model-spec.ts";
import type { Settings } from "./settings.ts";

/** Everything that is needed to ask one model. */
export interface ModelAccess {
  /** As `provider:model`. */
  spec: string;
  /** Null: the provider's own address. */
  baseUrl: string | null;
  /** Null for servers that want none. */
  apiKey: string | null;
  silenceMs: number;
  /** How long it is waited for when it is down. */
  patienceMs: number;
  /** The variable that names the model; those of its address and key begin with it. */
  setting: string;
}

export interface ConfiguredModels {
  /** Null: the built-in planner. */
  planner: ModelAccess | null;
  /** Null: nothing but checks by code. */
  verifier: ModelAccess | null;
}

/** Which models the settings ask for. What is missing is added to `problems`. */
export function resolveModels(settings: Settings, problems: string[]): ConfiguredModels {
  const planner = resolve(settings, {
    setting: "ERRAND_MODEL",
    spec: settings.model,
    baseUrl: settings.modelBaseUrl,
    apiKey: settings.modelApiKey,
  });
  const verifier = resolveVerifier(settings, planner);
  for (const access of new Set([planner, verifier])) {
    if (access !== null) problems.push(...findMissing(access));
  }
  return { planner, verifier };
}

interface Given {
  setting: string;
  spec: string | null;
  baseUrl: string | null;
  apiKey: string | null;
}

const USUAL_KEYS = {
  anthropic: { setting: "anthropicApiKey", variable: "ANTHROPIC_API_KEY" },
  openai: { setting: "openaiApiKey", variable: "OPENAI_API_KEY" },
  google: { setting: "googleApiKey", variable: "GOOGLE_GENERATIVE_AI_API_KEY" },
} as const satisfies Record<Exclude<ModelProvider, "openai-compatible">, { setting: keyof Settings; variable: string }>;

function resolve(settings: Settings, { setting, spec, baseUrl, apiKey }: Given): ModelAccess | null {
  if (spec === null) return null;
  const { provider } = parseModelSpec(spec);
  const usual = provider === "openai-compatible" ? null : settings[USUAL_KEYS[provider].setting];
  return {
    spec,
    baseUrl,
    apiKey: apiKey ?? usual,
    silenceMs: settings.modelTimeoutSeconds * 1_000,
    patienceMs: settings.modelPatienceSeconds * 1_000,
    setting,
  };
}

function resolveVerifier(settings: Settings, planner: ModelAccess | null): ModelAccess | null {
  const { verifierModel: spec, verifierModelBaseUrl, verifierModelApiKey } = settings;
  if (spec === null) return planner;
  const isSameProvider = planner !== null && providerOf(planner.spec) === providerOf(spec);
  const baseUrl = verifierModelBaseUrl ?? (isSameProvider ? planner.baseUrl : null);
  // The planner's key goes to no other address than the planner's.
  const isSamePlace = isSameProvider && baseUrl === planner.baseUrl;
  const apiKey = verifierModelApiKey ?? (isSamePlace ? planner.apiKey : null);
  return resolve(settings, { setting: "ERRAND_VERIFIER_MODEL", spec, baseUrl, apiKey });
}

function findMissing({ spec, baseUrl, apiKey, setting }: ModelAccess): string[] {
  const provider = providerOf(spec);
  if (provider === "openai-compatible") {
    if (baseUrl !== null) return [];
    return [`${setting}_BASE_URL must be set to the address of the model server, because ${setting} is ${provider}`];
  }
  if (apiKey !== null) return [];
  return [`${setting}_API_KEY must be set (or ${USUAL_KEYS[provider].variable}), because ${setting} is at ${provider}`];
}

function providerOf(spec: string): ModelProvider {
  return parseModelSpec(spec).provider;
}
