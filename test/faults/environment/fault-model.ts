import type { ModelRequest } from "../../_harness/model-request.ts";
import { type ModelReply, startModelServer } from "../../_harness/model-server.ts";
import { agreeingWithEverything, readTrial } from "../../_harness/scripted-judge.ts";

/** The verifier's model for all workers: while it is healthy, it agrees with the code's findings. */
export interface FaultModel extends AsyncDisposable {
  readonly env: Record<string, string>;
  /** What it does from now on instead of answering; null when it is healthy again. */
  setTrouble(trouble: ModelTrouble | null): void;
}

export const TROUBLES = {
  overloaded: { status: 503 },
  "asking for time": { status: 503, headers: { "retry-after": "1" } },
  silent: { hang: "at once" },
  "breaking off": { text: "Half an answer is", midway: "break" },
} satisfies Record<string, ModelReply>;

export type ModelTrouble = keyof typeof TROUBLES;

export async function startFaultModel(): Promise<FaultModel> {
  let trouble: ModelTrouble | null = null;
  const server = await startModelServer((request) => (trouble === null ? agree(request) : TROUBLES[trouble]));
  return {
    env: {
      ERRAND_VERIFIER_MODEL: "openai-compatible:scripted",
      ERRAND_VERIFIER_MODEL_BASE_URL: server.url,
      ERRAND_MODEL_TIMEOUT_SECONDS: "3",
    },
    setTrouble(next) {
      trouble = next;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function agree(request: ModelRequest): ModelReply {
  const [tool = ""] = request.toolNames;
  if (tool === "list_criteria") return { calls: [{ name: tool, input: { criteria: ["It is done."] } }] };
  if (tool === "decide") {
    return { calls: [{ name: tool, input: { agreed: true, reason: "It was asked for.", amount: "€12.50" } }] };
  }
  if (tool === "give_verdict") {
    return { calls: [{ name: tool, input: agreeingWithEverything(readTrial(request)) }] };
  }
  return { calls: [{ name: tool, input: {} }] };
}
