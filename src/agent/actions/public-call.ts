import { type Observation, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { redactUrl } from "../safe-text.ts";
import type { ActionCall } from "./action.ts";

/** Always of the same length, so that it does not reveal the length of a secret. */
export const MASK = "••••••";
/** Longer texts are the content of files, and reports are stored. */
const MAX_INPUT_CHARS = 2000;

/** The call as it may be stored and shown: without secrets and without whole files. */
export function toPublicCall({ action, input, commit }: ActionCall, observation: Observation): ActionCall {
  const hasSecret = entersSecret(action, input, observation);
  const entries = Object.entries(input).map(([name, value]): [string, unknown] => {
    if (typeof value !== "string") return [name, value];
    if (hasSecret && ENTERED.has(name)) return [name, MASK];
    return [
      name,
      value.length <= MAX_INPUT_CHARS ? value : `${value.slice(0, MAX_INPUT_CHARS)}… (${value.length} characters)`,
    ];
  });
  return { action, input: Object.fromEntries(entries), ...(commit === undefined ? {} : { commit }) };
}

/** Inputs that hold what is entered, or what the field held before. */
const ENTERED: ReadonlySet<string> = new Set(["text", "key", "replace", "after"]);

/** Text for a field that cannot be found counts as a secret. */
function entersSecret(action: string, input: ActionCall["input"], observation: Observation): boolean {
  if (action === "fill" || action === "edit") {
    const field = findNode(observation, (node) => node.ref === input.ref);
    return field === null || isSecret(field);
  }
  if (action !== "press" || typeof input.key !== "string" || [...input.key].length > 1) return false;
  const field = findNode(observation, (node) =>
    input.ref === undefined ? node.states.active === true : node.ref === input.ref,
  );
  return field !== null && isSecret(field);
}

function findNode({ root }: Observation, matches: (node: ObservedNode) => boolean): ObservedNode | null {
  for (const { node } of walk(root)) if (matches(node)) return node;
  return null;
}

function isSecret(node: ObservedNode): boolean {
  return node.field?.isSecret ?? false;
}

const MAX_LABEL_CHARS = 80;

/** A call in a few words, for people: click "Place order". */
export function describeCall({ action, input }: ActionCall): string {
  const { label, url, text, key } = input;
  if (typeof label === "string" && label !== "") return `${action} "${shorten(label)}"`;
  if (typeof url === "string") return `${action} ${redactUrl(url)}`;
  const detail = [text, key].find((value) => typeof value === "string");
  return typeof detail === "string" ? `${action} "${shorten(detail)}"` : action;
}

function shorten(text: string): string {
  return text.length <= MAX_LABEL_CHARS ? text : `${text.slice(0, MAX_LABEL_CHARS)}…`;
}
