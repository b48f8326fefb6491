import { type Observation, type ObservedNode, walk } from "../../../browser/observation/observation.ts";
import type { ModelResponse, ToolCall } from "../../../models/model.ts";
import type { ActionCall } from "../../actions/action.ts";
import { ACTIONS } from "../../actions/catalogue.ts";
import { WORKS_DURING_DIALOG } from "../../actions/perform-calls.ts";
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
  /** In the last turn the model can only end the errand. */
  readonly isLast: boolean;
  readonly memory: Memory;
  readonly claims: Claims;
  readonly secrets: TaskSecrets;
}

/** What a response leads to. Without a decision the model is asked again. */
interface HandledResponse {
  readonly decision: Decision | null;
  /** For the model, in our own words. */
  readonly remarks: readonly string[];
  /** The latest result of `extract`. It quotes the page. */
  readonly extracted: string | null;
  /** Whether something was noted or extracted. */
  readonly isFruitful: boolean;
}

/** Handles the calls of a response in order: notes and extracts at once; actions are collected for the decision. */
export async function handleResponse({ calls, text }: ModelResponse, context: TurnContext): Promise<HandledResponse> {
  const actions: ActionCall[] = [];
  const remarks: string[] = [];
  let extracted: string | null = null;
  let isFruitful = false;
  let following: Decision | null = null;
  for (const call of calls) {
    const outcome = await handleCall(call, context, actions.length > 0);
    if (outcome.kind === "end") return { decision: outcome.decision, remarks, extracted, isFruitful };
    if (outcome.kind === "act") {
      actions.push(outcome.call);
      continue;
    }
    remarks.push(outcome.remark);
    if (outcome.kind === "rejected") {
      if (outcome.endsResponse) break;
      continue;
    }
    isFruitful = true;
    extracted = outcome.extracted ?? extracted;
    following = outcome.following ?? following;
  }
  if (actions.length === 0) return { decision: following, remarks, extracted, isFruitful };
  const publicCalls = actions.map((action) => toPublicCall(action, context.turn.observation));
  context.memory.stuckDetector.recordCalls(publicCalls);
  const decision: Decision = { kind: "act", calls: actions, why: explainCalls(text, publicCalls) };
  return { decision, remarks, extracted, isFruitful };
}

/** What one call leads to. */
type CallOutcome =
  | { readonly kind: "act"; readonly call: ActionCall }
  | { readonly kind: "end"; readonly decision: Decision }
  /** `following`: what shows more of an extracted list, if the model does nothing else. */
  | {
      readonly kind: "kept";
      readonly remark: string;
      readonly extracted?: string;
      readonly following?: Decision | null;
    }
  /** `endsResponse`: the calls after it are skipped, because they rely on it. */
  | { readonly kind: "rejected"; readonly remark: string; readonly endsResponse: boolean };

const NOT_AFTER_ACTIONS =
  "The tools you called after your actions were skipped: see the result of the actions first, then call them alone.";

async function handleCall(call: ToolCall, context: TurnContext, isAfterAction: boolean): Promise<CallOutcome> {
  const { turn, memory, claims } = context;
  if (isAfterAction && ["extract", "ask_user", "done", "give_up"].includes(call.tool))
    return rejectCall(NOT_AFTER_ACTIONS);
  switch (call.tool) {
    case "note":
      return takeNote(call.input as unknown as StatedFact, memory);
    case "extract":
      return {
        kind: "kept",
        remark: "extract has read this page; its result is above.",
        extracted: await claims.gather(turn),
        following: await claims.followList(turn),
      };
    case "ask_user":
      return await askUser(call.input, context);
    case "done":
      return await handleDone(call.input as unknown as StatedClaim, context);
    case "give_up":
      return {
        kind: "end",
        decision: toGiveUp(call.input["kind"], call.input["reason"], memory.evidence.hasWritten),
      };
    default:
      return acceptAction(call, context);
  }
}

function rejectCall(remark: string, endsResponse = true): CallOutcome {
  return { kind: "rejected", remark, endsResponse };
}

function takeNote(stated: StatedFact, { evidence, notebook }: Memory): CallOutcome {
  const grounded = groundFact(stated, evidence);
  if (grounded.kind === "rejected") return rejectCall(`Not noted: ${grounded.why}.`, false);
  return { kind: "kept", remark: `Noted as ${notebook.add(grounded.fact)}.` };
}

const MAX_ANSWER_CHARS = 500;

/** The answer is the user's word, and as good as the task itself. */
async function askUser(input: ToolCall["input"], { turn, secrets }: TurnContext): Promise<CallOutcome> {
  const { question, options, secret } = input;
  const asked = toOneLine(String(question ?? ""), MAX_ANSWER_CHARS);
  if (turn.askPerson === undefined || asked === "") return rejectCall("Nobody can be asked.", false);
  const choices = Array.isArray(options) ? options.map((option) => toOneLine(String(option), 100)).filter(Boolean) : [];
  const isSecret = secret === true;
  const answer = await turn.askPerson({ question: secrets.hide(asked), options: choices, isSecret });
  if (answer === null) return rejectCall(`You asked the user: "${asked}" Nobody answered.`, false);
  const said = isSecret
    ? `${secrets.add(answer)} stands for it. Fill it in as it is.`
    : toOneLine(answer, MAX_ANSWER_CHARS);
  return { kind: "kept", remark: `You asked the user: "${asked}" The answer: ${said}` };
}

async function handleDone(stated: StatedClaim, { claims, memory, turn }: TurnContext): Promise<CallOutcome> {
  const decision = await claims.make(stated, memory, turn);
  if ("kind" in decision) return { kind: "end", decision };
  return rejectCall(`done was not accepted. ${decision.join(" ")}`);
}

function acceptAction(call: ToolCall, context: TurnContext): CallOutcome {
  const { turn, isLast, memory, secrets } = context;
  const { observation } = turn;
  if (isLast) return rejectCall("No more actions are possible: call done or give_up.");
  const checked = checkCall(call, { observation, urls: memory.urls, secrets });
  if (checked.kind === "rejected") return rejectCall(checked.why);
  if (memory.stuckDetector.isRepeatedTooOften(toPublicCall(checked.call, observation))) {
    return rejectCall(`${call.tool} was not performed: you did the same on this page twice before. Do something else.`);
  }
  return { kind: "act", call: checked.call };
}

type CheckedCall =
  | { readonly kind: "accepted"; readonly call: ActionCall }
  /** The reason is in our own words: it contains nothing from a page or from the model. */
  | { readonly kind: "rejected"; readonly why: string };

interface CheckContext {
  readonly observation: Observation;
  readonly urls: KnownUrls;
  readonly secrets: TaskSecrets;
}

/** Checks a call before anything happens in the browser, and replaces the names of secrets by the secrets. */
export function checkCall({ tool, input: given }: ToolCall, { observation, urls, secrets }: CheckContext): CheckedCall {
  const input = normalizeInput(tool, given);
  if (tool === "goto" && typeof input["url"] === "string") {
    input["url"] = urls.unmask(input["url"], observation.url);
  }
  if (observation.dialog !== null && !WORKS_DURING_DIALOG.has(tool)) {
    return reject("The browser shows a dialog. Answer it first, with the tool dialog.");
  }
  const nodes = new Map<unknown, ObservedNode>();
  for (const ref of [input["ref"], input["to_ref"]]) {
    if (ref === undefined) continue;
    const node = findNode(observation, ref);
    if (node === null)
      return reject(`${tool}: there is no ${nameRef(ref)} on the newest page. Use a ref from that page.`);
    nodes.set(ref, node);
  }
  if (tool === "goto" && !isKnownUrl(input["url"], observation, urls)) {
    return reject(
      "goto: this URL is neither in the task nor a link on a page that you have seen. Click a link instead, or search.",
    );
  }
  const commit = typeof given["commit"] === "string" ? given["commit"].trim() : "";
  const call = commit === "" ? { action: tool, input } : { action: tool, input, commit };
  return revealSecrets(call, nodes.get(input["ref"]) ?? null, secrets);
}

function reject(why: string): CheckedCall {
  return { kind: "rejected", why };
}

/** Without inputs that the action does not have, and with refs as the page has them. */
function normalizeInput(tool: string, input: ToolCall["input"]): Record<string, unknown> {
  const schema = ACTIONS.get(tool)?.input;
  const known = schema !== undefined && "properties" in schema ? Object.keys(schema.properties as object) : [];
  const entries = Object.entries(input).filter(
    ([key, value]) => known.includes(key) && value !== null && !(key.endsWith("ref") && value === ""),
  );
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === "ref" || key === "to_ref" ? normalizeRef(value) : value]),
  );
}

function normalizeRef(ref: unknown): unknown {
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

function isKnownUrl(url: unknown, observation: Observation, urls: KnownUrls): boolean {
  return typeof url === "string" && !url.includes("…") && urls.has(url, observation.url);
}

/** A secret may only be filled into a field that masks its text, never into a comment that a page asks for. */
function revealSecrets(call: ActionCall, field: ObservedNode | null, secrets: TaskSecrets): CheckedCall {
  const named = Object.values(call.input).some((value) => secrets.names(JSON.stringify(value)));
  if (!named) return { kind: "accepted", call };
  const { text } = call.input;
  if (call.action !== "fill" || field?.field?.isSecret !== true || typeof text !== "string") {
    return reject(`${call.action}: a secret may only be filled into a field for such secrets.`);
  }
  return { kind: "accepted", call: { ...call, input: { ...call.input, text: secrets.reveal(text) } } };
}

const MAX_WHY_CHARS = 200;

/** Why the calls are made, for people: the first sentence of the model's text, or else the calls themselves. */
function explainCalls(text: string, calls: readonly ActionCall[]): string {
  const line = toOneLine(text, 1_000);
  const sentence = /^.{15,}?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  return toOneLine(sentence === "" ? `${calls.map(describeCall).join(", then ")}.` : sentence, MAX_WHY_CHARS);
}
