import type { Answer, ToolCall } from "../../../models/model.ts";
import type { ActionCall } from "../../actions/action-report.ts";
import { toPublicCall } from "../../actions/public-call.ts";
import type { TaskSecrets } from "../../prompting/task-secrets.ts";
import type { Decision, Turn } from "../planner.ts";
import { checkCall } from "./check-call.ts";
import type { Claims } from "./claims.ts";
import { endWithGiveUp } from "./end-with-give-up.ts";
import { explain } from "./explain.ts";
import { groundFact, type StatedFact } from "./ground-fact.ts";
import type { StatedClaim } from "./make-claim.ts";
import type { Memory } from "./memory.ts";

interface Surroundings {
  readonly turn: Turn;
  readonly memory: Memory;
  readonly claims: Claims;
  readonly secrets: TaskSecrets;
}

/** What came of an answer. Without a decision nothing came of it but words, and the model is asked again. */
export interface HeardAnswer {
  readonly decision: Decision | null;
  /** For the model, in our own words. */
  readonly remarks: readonly string[];
  /** What was gathered, in words that quote the page. */
  readonly gathered: readonly string[];
  /** Whether something was noted or gathered. */
  readonly isFruitful: boolean;
}

/** What came of one call: something to do, the end, or only words. */
type Heard =
  | { readonly kind: "act"; readonly call: ActionCall }
  | { readonly kind: "end"; readonly decision: Decision }
  | { readonly kind: "kept"; readonly remark: string; readonly gathered?: string }
  /** `ends` the answer: what was asked for after it rested on it. */
  | { readonly kind: "refused"; readonly remark: string; readonly ends: boolean };

const OUT_OF_TURN = "What you called after your actions was left out: see first what they come to, then call it alone.";

/** Goes through the calls of an answer in order: keeps what is to be kept, and decides on what is to be done. */
export async function hearAnswer({ calls, text }: Answer, surroundings: Surroundings): Promise<HeardAnswer> {
  const { turn, memory } = surroundings;
  const actions: ActionCall[] = [];
  const remarks: string[] = [];
  const gathered: string[] = [];
  let isFruitful = false;
  for (const call of calls) {
    const heard = await hear(call, surroundings, actions.length > 0);
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
  return { decision: { kind: "act", calls: actions, why: explain(text, told) }, remarks, gathered, isFruitful };
}

async function hear(call: ToolCall, surroundings: Surroundings, isAfterAction: boolean): Promise<Heard> {
  const { turn, memory, claims } = surroundings;
  if (isAfterAction && ["extract", "done", "give_up"].includes(call.tool)) return refuse(OUT_OF_TURN);
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
      return await conclude(call.input as unknown as StatedClaim, surroundings);
    case "give_up":
      return {
        kind: "end",
        decision: endWithGiveUp(call.input["kind"], call.input["reason"], memory.evidence.hasWritten),
      };
    default:
      return admit(call, surroundings);
  }
}

function refuse(remark: string, ends = true): Heard {
  return { kind: "refused", remark, ends };
}

function takeNote(stated: StatedFact, { evidence, notebook }: Memory): Heard {
  const grounded = groundFact(stated, evidence);
  if (grounded.kind === "refused") return refuse(`Not noted: ${grounded.why}.`, false);
  return { kind: "kept", remark: `Noted as ${notebook.add(grounded.fact)}.` };
}

async function conclude(stated: StatedClaim, { claims, memory, turn }: Surroundings): Promise<Heard> {
  const decision = await claims.make(stated, memory, turn);
  if ("kind" in decision) return { kind: "end", decision };
  return refuse(`done was not accepted. ${decision.join(" ")}`);
}

function admit(call: ToolCall, { turn: { observation }, memory, secrets }: Surroundings): Heard {
  const checked = checkCall(call, { observation, addresses: memory.addresses, secrets });
  if (checked.kind === "refused") return refuse(checked.why);
  if (memory.stuckness.isTooOften(toPublicCall(checked.call, observation))) {
    return refuse(`${call.tool} was not done: you did the same on this very page twice before. Do something else.`);
  }
  return { kind: "act", call: checked.call };
}
