import { describe, expect, it } from "vitest";
import { type ConfigError, readConfig } from "../../src/config/config.ts";

const LOCAL = { ERRAND_MODEL: "openai-compatible:qwen3:8b", ERRAND_MODEL_BASE_URL: "http://127.0.0.1:11434/v1" };

describe("the settings of models", () => {
  it("configure no model by default", () => {
    expect(readConfig({}, "/").models).toEqual({ planner: null, verifier: null });
  });

  it("set a model's URL, key and timeout", () => {
    const env = {
      ...LOCAL,
      ERRAND_MODEL_API_KEY: "key-of-planner",
      ERRAND_MODEL_TIMEOUT_SECONDS: "7",
      ERRAND_MODEL_PATIENCE_SECONDS: "60",
    };
    expect(readConfig(env, "/").models.planner).toEqual({
      spec: "openai-compatible:qwen3:8b",
      baseUrl: "http://127.0.0.1:11434/v1",
      apiKey: "key-of-planner",
      silenceMs: 7_000,
      patienceMs: 60_000,
      setting: "ERRAND_MODEL",
    });
  });

  it.each(["gpt-5", ":gpt-5", "openai:", "mistral:large", "openai:two words", "openai"])(
    "explain what to write instead of %j",
    (text) => {
      const problems = problemsOf({ ERRAND_MODEL: text });
      expect(problems).toEqual([expect.stringMatching(/^ERRAND_MODEL must be provider:model, .*openai-compatible/)]);
    },
  );

  it.each(["127.0.0.1:11434", "http://me:hunter2@models.example/v1", "https://models.example/v1?api-key=hunter2"])(
    "refuse %j as a URL, without repeating it",
    (address) => {
      const problems = problemsOf({ ...LOCAL, ERRAND_MODEL_BASE_URL: address });
      expect(problems).toEqual([expect.stringMatching(/^ERRAND_MODEL_BASE_URL must be an http or https URL/)]);
      expect(problems.join()).not.toContain("hunter2");
    },
  );

  it("require a URL for an openai-compatible model and a key for the others", () => {
    expect(problemsOf({ ERRAND_MODEL: "openai-compatible:x" })).toEqual([
      expect.stringContaining("ERRAND_MODEL_BASE_URL must be set"),
    ]);
    expect(problemsOf({ ERRAND_MODEL: "google:gemini" })).toEqual([
      expect.stringMatching(/^ERRAND_MODEL_API_KEY must be set \(or GOOGLE_GENERATIVE_AI_API_KEY\)/),
    ]);
    expect(problemsOf({ ...LOCAL, ERRAND_VERIFIER_MODEL: "anthropic:claude" })).toEqual([
      expect.stringMatching(/^ERRAND_VERIFIER_MODEL_API_KEY must be set \(or ANTHROPIC_API_KEY\)/),
    ]);
  });

  it.each([
    ["anthropic:claude", "ANTHROPIC_API_KEY"],
    ["openai:gpt", "OPENAI_API_KEY"],
    ["google:gemini", "GOOGLE_GENERATIVE_AI_API_KEY"],
  ])("take the key of %s from %s, unless a more specific one is set", (spec, variable) => {
    expect(keyOf({ ERRAND_MODEL: spec, [variable]: "usual" })).toBe("usual");
    expect(keyOf({ ERRAND_MODEL: spec, [variable]: "usual", ERRAND_MODEL_API_KEY: "nearer" })).toBe("nearer");
  });

  it("send no provider's usual key to an openai-compatible server", () => {
    expect(keyOf({ ...LOCAL, OPENAI_API_KEY: "usual" })).toBeNull();
  });
});

describe("the settings of the verifier's model", () => {
  it("default to the planner's", () => {
    const { planner, verifier } = readConfig(LOCAL, "/").models;
    expect(verifier).toEqual(planner);
  });

  it("take URL and key from the planner for the same provider", () => {
    const env = { ...LOCAL, ERRAND_MODEL_API_KEY: "key-of-planner", ERRAND_VERIFIER_MODEL: "openai-compatible:other" };
    expect(readConfig(env, "/").models.verifier).toMatchObject({
      spec: "openai-compatible:other",
      baseUrl: LOCAL.ERRAND_MODEL_BASE_URL,
      apiKey: "key-of-planner",
      setting: "ERRAND_VERIFIER_MODEL",
    });
  });

  it("take nothing from the planner for another provider", () => {
    const env = {
      ...LOCAL,
      ERRAND_MODEL_API_KEY: "key-of-planner",
      ERRAND_VERIFIER_MODEL: "anthropic:claude",
      ANTHROPIC_API_KEY: "usual",
    };
    expect(readConfig(env, "/").models.verifier).toMatchObject({ baseUrl: null, apiKey: "usual" });
  });

  it("never send the planner's key to another URL", () => {
    const env = {
      ...LOCAL,
      ERRAND_MODEL_API_KEY: "key-of-planner",
      ERRAND_VERIFIER_MODEL: "openai-compatible:other",
      ERRAND_VERIFIER_MODEL_BASE_URL: "https://models.example/v1",
    };
    expect(readConfig(env, "/").models.verifier?.apiKey).toBeNull();
  });

  it("may set a judge for errands without a model", () => {
    const env = { ERRAND_VERIFIER_MODEL: "openai:gpt", OPENAI_API_KEY: "usual" };
    expect(readConfig(env, "/").models).toMatchObject({ planner: null, verifier: { spec: "openai:gpt" } });
  });
});

function problemsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env, "/");
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
}

function keyOf(env: Record<string, string>): string | null | undefined {
  return readConfig(env, "/").models.planner?.apiKey;
}
