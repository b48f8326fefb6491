import type { Failure } from "../../../contract/execution.ts";
import { toOneLine } from "../../prompting/one-line.ts";
import type { Decision } from "../planner.ts";

type GiveUp = Extract<Decision, { kind: "give_up" }>;

const MAX_REASON = 400;

/** What a model calls the end → how it is told to the caller. */
const FAILURES: ReadonlyMap<string, Failure> = new Map([
  ["goal_unreachable", "goal_unreachable"],
  ["blocked", "blocked"],
  ["sign_in_required", "reauthorization_required"],
  ["not_allowed", "policy_violation"],
  ["site_error", "site_error"],
  ["unclear_task", "unsupported_prompt"],
  ["out_of_budget", "step_limit"],
]);

/** Once something was changed the prompt was not refused, whatever the model calls it. */
export function endWithGiveUp(kind: unknown, reason: unknown, hasWritten: boolean): GiveUp {
  const named = FAILURES.get(String(kind)) ?? "goal_unreachable";
  const failure = named === "unsupported_prompt" && hasWritten ? "goal_unreachable" : named;
  const said = toOneLine(String(reason ?? ""), MAX_REASON);
  return giveUp(failure, said === "" ? "The planner gave up and did not say why." : said);
}

export function giveUp(failure: Failure, reason: string, code: string = failure.toUpperCase()): GiveUp {
  return { kind: "give_up", failure, code, reason };
}
