import type { StepCause } from "../../side-effects.ts";

const MAKING =
  /^(?:add|buy|order|book|reserve|send|post|place|pay|check ?out|sign up|register|subscribe|create|invite|donate|request|apply (?:now|for))\b/i;

/** Whether a step makes something new of what was entered: the form then starts again at its defaults. */
export function makesNew({ call: { input } }: Pick<StepCause, "call">): boolean {
  return typeof input["label"] === "string" && MAKING.test(input["label"].trim());
}
