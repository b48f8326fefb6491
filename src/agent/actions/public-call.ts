import type { Observation } from "../../browser/observation/observation.ts";
import type { ObservedNode } from "../../browser/observation/observed-node.ts";
import { walk } from "../../browser/observation/tree.ts";
import type { ActionCall } from "./action-report.ts";

/** Of one length, so that the length of a secret is none of its traces. */
const DOTS = "••••••";
/** Longer texts are not told again: they belong to files, and reports are kept. */
const MAX_LENGTH = 2000;

/** The call as it may be kept and shown: without secrets, and without whole files. */
export function toPublicCall({ action, input }: ActionCall, observation: Observation): ActionCall {
  const mayTell = !goesIntoSecret(action, input, observation);
  const entries = Object.entries(input).map(([name, value]): [string, unknown] => {
    if (typeof value !== "string") return [name, value];
    if (!mayTell && (name === "text" || name === "key")) return [name, DOTS];
    return [name, value.length <= MAX_LENGTH ? value : `${value.slice(0, MAX_LENGTH)}… (${value.length} characters)`];
  });
  return { action, input: Object.fromEntries(entries) };
}

/** What goes into a field that cannot be found is taken for a secret. */
function goesIntoSecret(action: string, input: ActionCall["input"], observation: Observation): boolean {
  if (action === "fill") {
    const field = findNode(observation, (node) => node.ref === input.ref);
    return field === null || isSecret(field);
  }
  if (action !== "press" || typeof input.key !== "string" || [...input.key].length > 1) return false;
  const field = findNode(observation, (node) =>
    input.ref === undefined ? node.states.active === true : node.ref === input.ref,
  );
  return field !== null && isSecret(field);
}

function findNode({ root }: Observation, isIt: (node: ObservedNode) => boolean): ObservedNode | null {
  for (const { node } of walk(root)) if (isIt(node)) return node;
  return null;
}

function isSecret(node: ObservedNode): boolean {
  return node.field?.isSecret ?? false;
}
