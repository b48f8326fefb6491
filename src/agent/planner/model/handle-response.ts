import { type Observation, type ObservedNode, walk } from "../../../browser/observation/observation.ts";
import type { ModelResponse, ToolCall } from "../../../models/model.ts";
import type { ActionCall } from "../../actions/action.ts";
import { ACTIONS } from "../../actions/catalogue.ts";
import { describeCall, toPublicCall } from "../../actions/public-call.ts";
import { toOneLine } from "../../safe-text.ts";
import type { TaskSecrets } from "../../task-secrets.ts";
import type { Decision, Turn } from "../planner.ts";
import type { Claims, StatedClaim } from "./claims.ts";
import { groundFact, type StatedFact } from "./evidence.ts";
import type { KnownUrls } from "./known-urls.ts";
import type { Memory } from "./memory.ts";
import { toGiveUp } from "./tools.ts";

interface TurnContext {
  readonly turn: Turn;
  readonly memory: Memory;
  readonly claims: Claims;
  readonly secrets: TaskSecrets;
}

/** What came of an answer. Without a decision nothing came of it but words, and the model is asked again. */
interface HandledResponse {
  readonly decision: Decision | null;
  /** For the model, in our own words. */
  readonly remarks: readonly string[];
  /** What was gathered, in words that quote the page. */
  readonly gathered: readonly string[];
  /** Whether something was noted or gathered. */
  readonly isFruitful: boolean;
}

/** What came of one call: something to do, the end, or only words. */
type CallOutcome =
  | { readonly kind: "act"; readonly call: ActionCall }
  | { readonly kind: "end"; readonly decision: Decision }
  | { readonly kind: "kept"; readonly remark: string; readonly gathered?: string }
  /** `ends` the answer: what was asked for after it rested on it. */
  | { readonly kind: "refused"; readonly remark: string; readonly ends: boolean };

const OUT_OF_TURN = "What you called after your actions was left out: see first what they come to, then call it alone.";

/** Goes through the calls of an answer in order: keeps what is to be kept, and decides on what is to be done. */
export async function handleResponse(
  { calls, text }: ModelResponse,
  surroundings: TurnContext,
): Promise<HandledResponse> {
  const { turn, memory } = surroundings;
  const actions: ActionCall[] = [];
  const remarks: string[] = [];
  const gathered: string[] = [];
  let isFruitful = false;
  for (const call of calls) {
    const heard = await handleCall(call, surroundings, actions.length > 0);
    if (heard.kind === "end") return { decision: heard.decision, remarks, gathered, isFruitful };
    if (heard.kind === "act") {
      actions.push(heard.call);
      continue;
    }
    remarks.push(heard.remark);
    if (heard.kind === "refused" && heard.ends) break;
    isFruitful ||= heard.kind === "kept";
    if (heard.kind === "kept" && heard.gathered !== undefined) gathered.push(heard.gathered);
  }
  if (actions.length === 0) return { decision: null, remarks, gathered, isFruitful };
  const told = actions.map((action) => toPublicCall(action, turn.observation));
  memory.stuckness.perform(told);
  return { decision: { kind: "act", calls: actions, why: explainCalls(text, told) }, remarks, gathered, isFruitful };
}

async function handleCall(call: ToolCall, surroundings: TurnContext, isAfterAction: boolean): Promise<CallOutcome> {
  const { turn, memory, claims } = surroundings;
  if (isAfterAction && ["extract", "done", "give_up"].includes(call.tool)) return rejectCall(OUT_OF_TURN);
  switch (call.tool) {
    case "note":
      return takeNote(call.input as unknown as StatedFact, memory);
    case "extract":
      return {
        kind: "kept",
        remark: "extract has read this page; see what it has got.",
        gathered: await claims.gather(turn),
      };
    case "done":
      return await handleDone(call.input as unknown as StatedClaim, surroundings);
    case "give_up":
      return {
        kind: "end",
        decision: toGiveUp(call.input["kind"], call.input["reason"], memory.evidence.hasWritten),
      };
    default:
      return acceptAction(call, surroundings);
  }
}

function rejectCall(remark: string, ends = true): CallOutcome {
  return { kind: "refused", remark, ends };
}

function takeNote(stated: StatedFact, { evidence, notebook }: Memory): CallOutcome {
  const grounded = groundFact(stated, evidence);
  if (grounded.kind === "refused") return rejectCall(`Not noted: ${grounded.why}.`, false);
  return { kind: "kept", remark: `Noted as ${notebook.add(grounded.fact)}.` };
}

async function handleDone(stated: StatedClaim, { claims, memory, turn }: TurnContext): Promise<CallOutcome> {
  const decision = await claims.make(stated, memory, turn);
  if ("kind" in decision) return { kind: "end", decision };
  return rejectCall(`done was not accepted. ${decision.join(" ")}`);
}

function acceptAction(call: ToolCall, { turn: { observation }, memory, secrets }: TurnContext): CallOutcome {
  const checked = checkCall(call, { observation, addresses: memory.addresses, secrets });
  if (checked.kind === "refused") return rejectCall(checked.why);
  if (memory.stuckness.isTooOften(toPublicCall(checked.call, observation))) {
    return rejectCall(`${call.tool} was not done: you did the same on this very page twice before. Do something else.`);
  }
  return { kind: "act", call: checked.call };
}

type CheckedCall =
  | { readonly kind: "sound"; readonly call: ActionCall }
  /** The reason is in our own words: it holds nothing of a page and nothing that the model wrote. */
  | { readonly kind: "refused"; readonly why: string };

interface CheckContext {
  readonly observation: Observation;
  readonly addresses: KnownUrls;
  readonly secrets: TaskSecrets;
}

const WORKS_BESIDE_DIALOG: ReadonlySet<string> = new Set(["dialog", "find", "read", "look"]);

/** Looks at what a model asks for before anything happens in the browser, and puts in the secrets that it names. */
export function checkCall(
  { tool, input: said }: ToolCall,
  { observation, addresses, secrets }: CheckContext,
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
  if (tool === "goto" && !isKnownUrl(input["url"], observation, addresses)) {
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

function isKnownUrl(url: unknown, observation: Observation, addresses: KnownUrls): boolean {
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

const MAX_CHARS = 200;

/** Why something is done, in a line for people: the first sentence that the model said beside its calls, or the calls. */
function explainCalls(text: string, calls: readonly ActionCall[]): string {
  const line = toOneLine(text, 1_000);
  const sentence = /^.{15,}?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  return toOneLine(sentence === "" ? `${calls.map(describeCall).join(", then ")}.` : sentence, MAX_CHARS);
}
