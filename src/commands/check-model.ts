import type { ModelAccess } from "../config/model-access.ts";
import type { ModelProbe } from "../models/probing/probe-model.ts";

export interface ModelFinding {
  status: "ok" | "warning" | "problem";
  message: string;
  fix?: string;
}

/** A doctor is not waited for as long as an errand. */
const MAX_SILENCE_MS = 60_000;
const PATIENCE_MS = 10_000;

/** Tries a model out: whether it is there, calls tools, keeps to schemas and sees pictures. */
export async function checkModel(access: ModelAccess): Promise<ModelFinding> {
  const [{ createModel }, { probeModel }] = await Promise.all([
    import("../models/create-model.ts"),
    import("../models/probing/probe-model.ts"),
  ]);
  const silenceMs = Math.min(access.silenceMs, MAX_SILENCE_MS);
  // What the provider says may be shown here: the questions hold nothing secret.
  const model = await createModel({
    ...access,
    silenceMs,
    patienceMs: PATIENCE_MS,
    quotesProvider: true,
    sleep: async () => {},
  });
  return describeProbe(access, await probeModel(model, new AbortController().signal));
}

function describeProbe({ spec, setting }: ModelAccess, probe: ModelProbe): ModelFinding {
  if (probe.outcome === "failed") return { status: "problem", message: probe.failure.message };
  const { toolCalls, schema, images, durationMs } = probe;
  const message =
    `${spec} answers in ${(durationMs / 1_000).toFixed(1)} s; tool calls: ${toolCalls}; ` +
    `JSON schema: ${schema}; images: ${images}`;
  if (schema === "not kept") {
    return { status: "problem", message, fix: `It mistakes what it is told. Choose a larger model in ${setting}.` };
  }
  const fixes = [
    ...(toolCalls === "native"
      ? []
      : [
          "Tools are described in text instead, which is less sure: choose a model with tool calls, or switch them on " +
            "in its server (vLLM: --enable-auto-tool-choice, llama.cpp: --jinja).",
        ]),
    ...(schema === "kept"
      ? []
      : ["Its calls need corrections, which cost time and tokens: a larger model needs fewer."]),
    ...(images === "seen"
      ? []
      : ["Screenshots are of no use to it: choose a model that sees, if pages are mostly pictures."]),
  ];
  return fixes.length === 0 ? { status: "ok", message } : { status: "warning", message, fix: fixes.join(" ") };
}
