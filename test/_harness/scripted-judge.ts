import type { Judge } from "../../src/agent/verifier/judge.ts";
import { createModelJudge } from "../../src/agent/verifier/model-judge.ts";
import type { ModelRequest } from "./model-request.ts";
import { type ModelServer, modelAt, startModelServer } from "./model-server.ts";

export interface CriterionVerdict {
  criterion: string;
  verdict: string;
  evidence: string[];
  quote: string;
  reason: string;
}

export interface ScriptedVerdict {
  criteria: CriterionVerdict[];
  changes: { change: string; asked: string; reason: string }[];
}

/** The parts of the judge's prompt that a script needs. */
export interface ShownTrial {
  criteria: string[];
  changes: string[];
  /** By id. */
  evidence: Map<string, string>;
  request: ModelRequest;
}

export type VerdictScript = (shown: ShownTrial) => ScriptedVerdict;

/** A judge with its own scripted model behind real HTTP. */
export interface ScriptedJudge extends AsyncDisposable {
  judge: Judge;
  server: ModelServer;
  /** Returns the verdict for each trial. */
  script: VerdictScript;
  /** Says whether something lasting may be done; by default it may. */
  decide: (request: ModelRequest) => { agreed: boolean; reason: string; amount?: string };
  /** How often it was asked for a verdict since this was last set to 0. */
  verdicts: number;
}

export async function startScriptedJudge(): Promise<ScriptedJudge> {
  const server = await startModelServer((request) => {
    if (request.toolNames.includes("list_criteria")) {
      return { calls: [{ name: "list_criteria", input: { criteria: ["What the task asks for was done."] } }] };
    }
    if (request.toolNames.includes("decide")) return { calls: [{ name: "decide", input: scripted.decide(request) }] };
    scripted.verdicts += 1;
    return { calls: [{ name: "give_verdict", input: scripted.script(readTrial(request)) }] };
  });
  const scripted: ScriptedJudge = {
    judge: createModelJudge(await modelAt(server)),
    server,
    script: agreeingWithEverything,
    decide: () => ({ agreed: true, reason: "The task asks for it." }),
    verdicts: 0,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return scripted;
}

/** Agrees with everything, and cites a real quote from the first piece of evidence. */
export function agreeingWithEverything({ criteria, changes, evidence }: ShownTrial): ScriptedVerdict {
  const quote = quotable(evidence.get("e1") ?? "");
  return {
    criteria: criteria.map((criterion) => ({
      criterion,
      verdict: "satisfied",
      evidence: ["e1"],
      quote,
      reason: "It is to be seen there.",
    })),
    changes: changes.map((change) => ({ change, asked: "yes", reason: "It belongs to the task." })),
  };
}

/** Searches the evidence for the text, and uses it to contradict the last criterion. */
export function objecting(quote: string, reason: string): VerdictScript {
  return (shown) => {
    const [id] = [...shown.evidence].find(([, text]) => text.includes(quote)) ?? ["e1"];
    const agreed = agreeingWithEverything(shown);
    const last = agreed.criteria.at(-1)?.criterion;
    const criteria = agreed.criteria.map((each) =>
      each.criterion === last ? { ...each, verdict: "contradicted", evidence: [id], quote, reason } : each,
    );
    return { ...agreed, criteria };
  };
}

export function readTrial(request: ModelRequest): ShownTrial {
  const [, listed = ""] = /^Judge (.*)\. Call give_verdict once\.$/m.exec(request.text) ?? [];
  const ids = listed.match(/[cw]\d+/g) ?? [];
  const blocks = request.text.matchAll(/^(e\d+)\. [^\n]*:\n<data-[^>]+>\n([\s\S]*?)\n<\/data-/gm);
  return {
    criteria: ids.filter((id) => id.startsWith("c")),
    changes: ids.filter((id) => id.startsWith("w")),
    evidence: new Map([...blocks].map(([, id = "", text = ""]) => [id, text])),
    request,
  };
}

/** The first line of a page after its URL and title. */
function quotable(text: string): string {
  const lines = text.split("\n").filter((line) => !/^(?:URL|title): |^… /.test(line));
  return (lines[0] ?? text.split("\n")[0] ?? "").replace(/^# /, "");
}
