import type { Observation } from "../../browser/observation/observation.ts";
import type { BrowserSession, Mark } from "../../browser/session/browser-session.ts";
import type { CapturedPages } from "../captured-pages.ts";
import type { Check, Errand, Verdict } from "../errand.ts";
import type { Claim, Task } from "../planner/planner.ts";
import type { SideEffectLedger } from "../side-effects.ts";
import { checkFinalAddress, checkFinalStatus } from "./check-address.ts";
import { checkCauses } from "./check-causes.ts";
import { checkCondition } from "./check-conditions.ts";
import { checkExtraction, checkFacts } from "./check-grounds.ts";
import { checkOpenQuestion } from "./check-question.ts";
import { checkWrites } from "./check-writes.ts";
import type { SecondLook } from "./second-look.ts";

export interface Verification {
  readonly claim: Claim;
  readonly task: Task;
  readonly session: BrowserSession;
  /** The run's own tab, as it is now. */
  readonly live: Observation;
  /** What fresh eyes saw. */
  readonly looks: readonly SecondLook[];
  readonly captured: CapturedPages;
  readonly ledger: SideEffectLedger;
  /** When the run began. */
  readonly begin: Mark;
}

/**
 * Decides whether a claim is true. It knows what was claimed and what the browser saw, and nothing of how the planner
 * came to it. Code decides: everything satisfied is agreement; anything contradicted or unknown is not.
 */
export function verify(
  { claim, task, session, live, looks, captured, ledger, begin }: Verification,
  opinions: readonly Check[],
): Verdict {
  const writes = ledger.attribute(session.writes());
  const sight = { prompt: task.prompt, live, captured, looks, writes, steps: ledger.steps };
  const goals = [
    ...claim.conditions.map((condition) => checkCondition(condition, sight)),
    ...checkFacts(claim, sight),
    ...checkExtraction(claim, sight, task.outputSchema),
    ...opinions,
  ];
  return decide([
    ...goals,
    ...(goals.length === 0 ? [NOTHING_CLAIMED] : []),
    checkWrites(writes),
    checkCauses(writes),
    checkOpenQuestion(
      live,
      ledger.steps.every(({ effect }) => effect !== "mutate"),
    ),
    checkFinalAddress(live.url, session),
    checkFinalStatus(live.url, session.since(begin).requests),
  ]);
}

export function areWritesAccepted({ session, ledger }: Pick<Verification, "session" | "ledger">): boolean {
  return checkWrites(ledger.attribute(session.writes())).verdict === "satisfied";
}

const NOTHING_CLAIMED: Check = {
  about: "Something was achieved",
  verdict: "unknown",
  evidence: "The run claims nothing that could be checked.",
};

function decide(checks: readonly Check[]): Verdict {
  const against = checks.filter(({ verdict }) => verdict !== "satisfied");
  const agreed = against.length === 0;
  const reason = agreed
    ? `All ${checks.length} checks agreed, against the pages as the site shows them and the answers it gave.`
    : against.map(({ about, verdict, evidence }) => `${about}: ${verdict}. ${evidence}`).join(" ");
  return { agreed, reason, checks };
}

/** What is wrong with the data under the schema that was asked for; an errand that should have data and has none fails too. */
export async function findSchemaProblems(
  { task, findOutputProblems }: Errand,
  { extraction }: Claim,
): Promise<readonly string[]> {
  if (task.outputSchema === null) return [];
  if (extraction === null) return ["no data was found for it"];
  const missing = extraction.missing.map(({ pointer, reason }) => `${pointer || "/"} is missing: ${reason}`);
  return [...missing, ...(await findOutputProblems(task.outputSchema, extraction.data))];
}
