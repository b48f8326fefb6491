import type { Observation } from "../../../browser/observation/observation.ts";
import type { ObservedNode } from "../../../browser/observation/observed-node.ts";
import { walk } from "../../../browser/observation/tree.ts";
import type { ToolCall } from "../../../models/model.ts";
import type { ActionCall } from "../../actions/action-report.ts";
import { ACTIONS } from "../../actions/catalogue.ts";
import type { TaskSecrets } from "../../prompting/task-secrets.ts";
import type { KnownAddresses } from "./known-addresses.ts";

export type CheckedCall =
  | { readonly kind: "sound"; readonly call: ActionCall }
  /** The reason is in our own words: it holds nothing of a page and nothing that the model wrote. */
  | { readonly kind: "refused"; readonly why: string };

interface Surroundings {
  readonly observation: Observation;
  readonly addresses: KnownAddresses;
  readonly secrets: TaskSecrets;
}

const WORKS_BESIDE_DIALOG: ReadonlySet<string> = new Set(["dialog", "find", "read", "look"]);

/** Looks at what a model asks for before anything happens in the browser, and puts in the secrets that it names. */
export function checkCall(
  { tool, input: said }: ToolCall,
  { observation, addresses, secrets }: Surroundings,
): CheckedCall {
  const input = tidy(tool, said);
  if (tool === "goto" && typeof input["url"] === "string") {
    input["url"] = addresses.unmask(input["url"], observation.url);
  }
  if (observation.dialog !== null && !WORKS_BESIDE_DIALOG.has(tool)) {
    return refuse("The browser shows a dialog. Answer it first, with the tool dialog.");
  }
  const nodes = new Map<unknown, ObservedNode>();
  for (const ref of [input["ref"], input["to_ref"]]) {
    if (ref === undefined) continue;
    const node = findNode(observation, ref);
    if (node === null)
      return refuse(`${tool}: there is no ${nameRef(ref)} on the newest page. Take a ref that stands in it.`);
    nodes.set(ref, node);
  }
  if (tool === "goto" && !isKnown(input["url"], observation, addresses)) {
    return refuse(
      "goto: this address is neither in the task nor a link on a page that you have seen. Click a link instead, or search.",
    );
  }
  return revealSecrets({ action: tool, input }, nodes.get(input["ref"]) ?? null, secrets);
}

function refuse(why: string): CheckedCall {
  return { kind: "refused", why };
}

/** Without fields that the action does not have, and with refs as they are written in the page. */
function tidy(tool: string, input: ToolCall["input"]): Record<string, unknown> {
  const schema = ACTIONS.get(tool)?.input;
  const known = schema !== undefined && "properties" in schema ? Object.keys(schema.properties as object) : [];
  const entries = Object.entries(input).filter(([key, value]) => known.includes(key) && value !== null);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === "ref" || key === "to_ref" ? tidyRef(value) : value]),
  );
}

function tidyRef(ref: unknown): unknown {
  return typeof ref === "string"
    ? (/^(?:\[?(?:ref[=:]\s*)?|@|#)((?:f\d+)?[ec]\d+)\]?$/.exec(ref.trim())?.[1] ?? ref)
    : ref;
}

function findNode({ root }: Observation, ref: unknown): ObservedNode | null {
  return walk(root).find(({ node }) => node.ref !== null && node.ref === ref)?.node ?? null;
}

function nameRef(ref: unknown): string {
  return typeof ref === "string" && /^[a-z\d]{1,12}$/i.test(ref) ? ref : "such ref";
}

function isKnown(url: unknown, observation: Observation, addresses: KnownAddresses): boolean {
  return typeof url === "string" && !url.includes("…") && addresses.has(url, observation.url);
}

/** A secret goes into a field that hides it, and nowhere else: not into a comment that a page asks for. */
function revealSecrets(call: ActionCall, field: ObservedNode | null, secrets: TaskSecrets): CheckedCall {
  const named = Object.values(call.input).some((value) => secrets.names(JSON.stringify(value)));
  if (!named) return { kind: "sound", call };
  const { text } = call.input;
  if (call.action !== "fill" || field?.field?.isSecret !== true || typeof text !== "string") {
    return refuse(`${call.action}: a secret is only filled into a field for such secrets.`);
  }
  return { kind: "sound", call: { ...call, input: { ...call.input, text: secrets.reveal(text) } } };
}
