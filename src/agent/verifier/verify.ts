import { type Observation, type ObservedNode, textOf, walk } from "../../browser/observation/observation.ts";
import type { BrowserSession, Mark } from "../../browser/session/browser-session.ts";
import type { NetworkRecord } from "../../browser/session/network-record.ts";
import type { SideEffectLedger } from "../actions/side-effects.ts";
import { type CapturedPages, isSamePage } from "../grounding/captured-pages.ts";
import type { Claim, Task } from "../grounding/claim.ts";
import type { Errand } from "../loop/errand.ts";
import { redactUrl } from "../safe-text.ts";
import type { FreshPage } from "./case.ts";
import type { Check, Verdict } from "./check.ts";
import { checkAnswer, checkFactValues, checkStaleness } from "./check-answer.ts";
import {
  checkCauses,
  checkDownloads,
  checkNotices,
  checkRepeats,
  checkUnrequested,
  checkUntouched,
  checkWrites,
} from "./check-changes.ts";
import { checkCondition, checkExtraction, checkFacts } from "./check-claim.ts";
import { checkEntries } from "./check-fields.ts";
import { checkBounds, checkOrder, checkWholeList } from "./check-lists.ts";
import { checkRecords } from "./check-records.ts";

export interface Verification {
  readonly claim: Claim;
  readonly task: Task;
  readonly session: BrowserSession;
  /** The run's own tab, as it is now. */
  readonly live: Observation;
  /** What fresh eyes saw. */
  readonly looks: readonly FreshPage[];
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
    checkFinalUrl(live.url, session),
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

const CHECKS = [
  checkFactValues,
  checkAnswer,
  checkRecords,
  checkOrder,
  checkBounds,
  checkWholeList,
  checkEntries,
  checkDownloads,
  checkRepeats,
  checkNotices,
  checkStaleness,
  checkUntouched,
  checkUnrequested,
];

/**
 * Holds a claim against the words of the task, as far as code can: for claims that a model has made in words of its own.
 * Each check speaks up only where something is clearly wrong; what is right is for the judge to say.
 */
export function checkAgainstTask({
  claim,
  task,
  session,
  live,
  looks,
  captured,
  ledger,
  begin,
}: Verification): Check[] {
  const writes = ledger.attribute(session.writes());
  const events = session.since(begin);
  const held = { claim, task, prompt: task.prompt, live, looks, captured, writes, steps: ledger.steps, events };
  return CHECKS.flatMap((check) => check(held));
}

const REFUSING = /^(no\b|cancel|keep|don['’]?t|do not|back|never mind|not now|dismiss)/i;
const ASKING = /\?|\bsure\b|\bconfirm/i;

/** A page that still asks whether to go on has not gone on: what was clicked is only half done. */
function checkOpenQuestion(live: Observation, isReading: boolean): Check {
  const about = "No question of the page is left open";
  const open = isReading
    ? undefined
    : (walk(live.root).find(({ node }) => isQuestion(node))?.node ?? findAskingHeading(live.root));
  if (live.dialog === null && open === undefined) return { about, verdict: "satisfied", evidence: "There is none." };
  const text = (live.dialog?.message ?? (open === undefined ? "" : textOf(open))).slice(0, 120);
  return {
    about,
    verdict: "contradicted",
    evidence: `The page asks: "${text}". The task does not say what to answer: add "and confirm it" if you agree.`,
  };
}

function isQuestion(node: ObservedNode): boolean {
  if (node.role !== "alertdialog" && node.role !== "dialog") return false;
  const buttons = [...walk(node)].filter((visit) => visit.node.role === "button").map((visit) => visit.node);
  return buttons.length >= 2 && buttons.some(({ name }) => REFUSING.test(name)) && ASKING.test(textOf(node));
}

/** "Delete this address?" as the heading of a page of its own, with a way to agree and one to back out. */
function findAskingHeading(root: ObservedNode): ObservedNode | undefined {
  const [main = root] = [...walk(root)].filter(({ node }) => node.role === "main").map(({ node }) => node);
  const nodes = [...walk(main)].map(({ node }) => node);
  const heading = nodes.find(({ role, states }) => role === "heading" && (states.level ?? 1) === 1);
  const isAsking = heading !== undefined && /\?\s*$/.test(textOf(heading));
  const canAgree = nodes.some(({ role, name }) => role === "button" && !REFUSING.test(name));
  const canRefuse = nodes.some(({ role, name }) => (role === "button" || role === "link") && REFUSING.test(name));
  return isAsking && canAgree && canRefuse ? heading : undefined;
}

/** The run ended on a web page of the hosts it may visit. */
function checkFinalUrl(url: string, session: BrowserSession): Check {
  const about = "The run ended on a page it may visit";
  return session.allows(url)
    ? { about, verdict: "satisfied", evidence: redactUrl(url) }
    : { about, verdict: "contradicted", evidence: `${url.slice(0, 100)} is not such a page.` };
}

/** The last page is one that the site has, and not its notice that there is none. */
function checkFinalStatus(url: string, requests: readonly NetworkRecord[]): Check {
  const about = "The site has the page that the run ended on";
  const document = requests.findLast((request) => request.isNavigation && isSamePage(request.url, url));
  const status = document?.status ?? null;
  return status !== null && status >= 400
    ? { about, verdict: "contradicted", evidence: `It answered ${status} to ${redactUrl(url)}.` }
    : { about, verdict: "satisfied", evidence: `It answered ${status ?? "before"} to ${redactUrl(url)}.` };
}
