import type { Extraction, Fact } from "../../extraction/fact.ts";
import type { Condition, Task } from "../planner.ts";
import type { Evidence, Ground } from "./evidence.ts";

export interface GroundedFact {
  readonly fact: Fact;
  /** Null for a note whose page has been forgotten. */
  readonly ground: Ground | null;
}

export interface Proof {
  readonly condition: Condition;
  readonly ground: Ground;
}

interface Run {
  readonly task: Task;
  readonly evidence: Evidence;
  readonly extraction: Extraction | null;
  /** Whether anything was clicked, entered or chosen. */
  readonly hasActed: boolean;
}

const ASKING =
  /\?|\b(?:tell|what|which|who|when|where|how (?:many|much|long|old|far)|list|report|find out|summari[sz]e|give me|show me|read)\b/i;
const CHANGING =
  /\b(?:add|apply|book|buy|cancel|change|check out|clear|confirm|create|delete|disable|edit|enable|enter|fill|move|order|place|post|purchase|put|register|remove|rename|reply|reserve|save|send|set|submit|subscribe|switch|tick|turn o(?:n|ff)|type|unsubscribe|untick|update|upload|write)\b/i;

/** What is missing for a claim to say anything about its task. */
export function findGaps(
  facts: readonly GroundedFact[],
  proofs: readonly Proof[],
  { task, evidence, extraction, hasActed }: Run,
): string[] {
  if (task.outputSchema !== null && extraction === null)
    return ["No data was gathered yet. Call extract on the page that has it."];
  const isGrounded = facts.length > 0 || proofs.length > 0 || extraction !== null;
  if (!isGrounded)
    return [
      "Nothing is proven. Give facts with quotes for what was asked, or proofs: what on which page shows that it is done.",
    ];
  if (facts.length === 0 && extraction === null && ASKING.test(task.prompt)) {
    return ["The task asks for something to be told. Give at least one fact with its quote."];
  }
  // Signing in sends something too: who only reads after that has nothing to show but what was read.
  if (evidence.hasWritten && (facts.length === 0 || CHANGING.test(task.prompt))) {
    const isShown = [...facts, ...proofs].some(({ ground }) => ground?.isNew === true);
    return isShown || extraction !== null
      ? []
      : [
          "Nothing that you cite shows the change: it was there before. Cite what the site shows since then, or look for it.",
        ];
  }
  const isField = proofs.some(({ condition }) => condition.kind === "field");
  if (!hasActed && !isField && extraction === null && facts.length === 0 && CHANGING.test(task.prompt)) {
    return [
      "Nothing was done on the site so far, and the task asks for it. Do it first. If it was so already, prove it with the field that shows it.",
    ];
  }
  return [];
}
