import { setImmediate } from "node:timers/promises";
import { type Observation, type ObservedNode, textOf, walk } from "../../browser/observation/observation.ts";
import type { BrowserSession, Mark } from "../../browser/session/browser-session.ts";
import type { NetworkRecord } from "../../browser/session/network-record.ts";
import { runInSlices } from "../../lib/waiting.ts";
import type { SideEffectLedger } from "../actions/side-effects.ts";
import { type CapturedPages, isSameDocument } from "../grounding/captured-pages.ts";
import type { Claim, FindOutputProblems, Task } from "../grounding/claim.ts";
import { redactUrl } from "../safe-text.ts";
import { TaskSecrets } from "../task-secrets.ts";
import type { Case, FreshPage } from "./case.ts";
import type { Check, Verdict } from "./check.ts";
import { checkAgreement } from "./check-agreement.ts";
import { checkAnswer, checkFactValues, checkStaleness } from "./check-answer.ts";
import { checkBasket } from "./check-basket.ts";
import {
  checkDownloads,
  checkNoEffect,
  checkNotices,
  checkRepeats,
  checkUnrequested,
  checkUntouched,
} from "./check-changes.ts";
import { CLAIM_CHECKS } from "./check-claim.ts";
import { checkCounted } from "./check-counted.ts";
import { checkCoverage } from "./check-coverage.ts";
import { checkEffect } from "./check-effect.ts";
import { checkEntries } from "./check-entries.ts";
import { checkExtra } from "./check-extra.ts";
import { checkFiltered } from "./check-filtered.ts";
import { checkGone, checkKept } from "./check-kept.ts";
import { checkBounds, checkOrder, checkWholeList } from "./check-lists.ts";
import { checkMade } from "./check-made.ts";
import { checkNamed } from "./check-named.ts";
import { checkNone } from "./check-none.ts";
import { checkOpened } from "./check-opened.ts";
import { checkPartial } from "./check-partial.ts";
import { checkPlaces } from "./check-places.ts";
import { checkProofs } from "./check-proofs.ts";
import { checkProse } from "./check-prose.ts";
import { checkRecords, checkTotalRows } from "./check-records.ts";
import { checkSameForm } from "./check-same-form.ts";
import { checkSearched } from "./check-searched.ts";
import { checkSelfSaved } from "./check-self-saved.ts";
import { checkSent } from "./check-sent.ts";
import { checkSources } from "./check-sources.ts";
import { checkStillNone } from "./check-still-none.ts";
import { checkUploads } from "./check-uploads.ts";
import { checkCauses, checkWrites } from "./check-writes.ts";
import { checkRowsGone } from "./deletions.ts";
import { checkRowsChanged } from "./unchanged-rows.ts";

/** A claim, and access to everything it is checked against. */
export interface Verification {
  readonly claim: Claim;
  readonly task: Task;
  readonly session: BrowserSession;
  /** The run's own tab, as it is now. */
  readonly live: Observation;
  /** What the verification context shows. */
  readonly freshPages: readonly FreshPage[];
  readonly captured: CapturedPages;
  readonly ledger: SideEffectLedger;
  /** The start of the run. */
  readonly begin: Mark;
}

/**
 * Decides whether a claim is true. It knows the claim and what the browser saw, but not how the planner got there. Code
 * decides: it agrees only if every check is satisfied.
 */
export async function verify(verification: Verification, opinions: readonly Check[]): Promise<Verdict> {
  const context = toCase(verification);
  const { live, writes, steps, events } = context;
  const goals = [...(await runChecks(CLAIM_CHECKS, context)), ...opinions];
  const checks = [
    ...goals,
    ...(goals.length === 0 ? [NOTHING_CLAIMED] : []),
    // What is still asked explains why nothing was done, so it comes before that.
    checkOpenQuestion(
      live,
      steps.every(({ effect }) => effect !== "mutate"),
    ),
    ...(await runChecks(HONESTY_CHECKS, context)),
    checkWrites(writes, context),
    checkCauses(writes),
    checkFinalUrl(live.url, verification.session),
    checkFinalStatus(live.url, events.requests),
  ];
  const secrets = new TaskSecrets(verification.task.prompt);
  return decide(secrets.isEmpty ? checks : checks.map((check) => withoutSecrets(check, secrets)));
}

/** One after the other. On large pages all of them take long, so other work of the process gets its turn in between. */
async function runChecks(checks: readonly RunCheck[], context: Case): Promise<Check[]> {
  const found: Check[] = [];
  for (const check of checks) {
    await setImmediate();
    const checked = check(context);
    found.push(...(Array.isArray(checked) ? checked : await runInSlices(checked)));
  }
  return found;
}

/** A check that alone takes long on large pages yields now and then. */
type RunCheck = (context: Case) => Check[] | Generator<void, Check[]>;

/** What a check found is stored and shown. It may quote the task, or a page that repeats what was entered. */
function withoutSecrets(check: Check, secrets: TaskSecrets): Check {
  return { ...check, about: secrets.hide(check.about), evidence: secrets.hide(check.evidence) };
}

/** They hold for every claim, from any planner. */
const HONESTY_CHECKS: readonly RunCheck[] = [
  checkSent,
  checkSameForm,
  checkNoEffect,
  checkEffect,
  checkKept,
  checkGone,
  checkRowsGone,
  checkRowsChanged,
  checkBasket,
  checkExtra,
  checkSelfSaved,
  checkMade,
  checkStillNone,
  checkUploads,
  checkProofs,
  checkSources,
  checkFiltered,
  checkSearched,
  checkOpened,
  checkNone,
  checkWholeList,
  checkTotalRows,
  checkAgreement,
];

export function toCase({ session, ledger, begin, ...rest }: Verification): Case {
  const writes = ledger.attribute(session.writes());
  return { ...rest, writes, steps: ledger.steps, events: session.since(begin) };
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
  const notes = checks.flatMap(({ note }) => note ?? []);
  const reason = agreed
    ? [`All ${checks.length} checks passed, based on the site's pages and responses.`, ...notes].join(" ")
    : against.map(({ about, verdict, evidence }) => `${about}: ${verdict}. ${evidence}`).join(" ");
  return { agreed, reason, checks };
}

/** What is wrong with the data under the requested schema. An errand that should have data and has none fails too. */
export async function findSchemaProblems(
  { task, findOutputProblems }: { readonly task: Task; readonly findOutputProblems: FindOutputProblems },
  { extraction }: Claim,
): Promise<readonly string[]> {
  if (task.outputSchema === null) return [];
  if (extraction === null) return ["no data was found"];
  const missing = extraction.missing.map(({ pointer, reason }) => `${pointer || "/"} is missing: ${reason}`);
  return [...missing, ...(await findOutputProblems(task.outputSchema, extraction.data))];
}

const TASK_CHECKS: readonly RunCheck[] = [
  checkFactValues,
  checkAnswer,
  checkCounted,
  checkProse,
  checkPlaces,
  checkRecords,
  checkCoverage,
  checkPartial,
  checkOrder,
  checkBounds,
  checkEntries,
  checkDownloads,
  checkRepeats,
  checkNotices,
  checkStaleness,
  checkUntouched,
  checkUnrequested,
  checkNamed,
];

/**
 * Checks a claim against the words of the task, as far as code can: for claims that a model has put into its own words. Each
 * check reports only what is clearly wrong; the judge says what is right.
 */
export async function checkAgainstTask(verification: Verification): Promise<Check[]> {
  return await runChecks(TASK_CHECKS, toCase(verification));
}

const REFUSAL_LABEL = /^(no\b|cancel|keep|don['’]?t|do not|back|never mind|not now|dismiss)/i;
const CONFIRMATION_TEXT = /\?|\bsure\b|\bconfirm/i;

/** A page that still asks for confirmation has not done what was clicked. */
function checkOpenQuestion(live: Observation, isReading: boolean): Check {
  const about = "The page is not waiting for confirmation";
  const open = isReading
    ? undefined
    : (walk(live.root).find(({ node }) => isQuestion(node))?.node ?? findAskingHeading(live.root));
  if (live.dialog === null && open === undefined)
    return { about, verdict: "satisfied", evidence: "No question is open." };
  const text = (live.dialog?.message ?? (open === undefined ? "" : textOf(open))).slice(0, 120);
  return {
    about,
    verdict: "contradicted",
    evidence: `The page asks: "${text}". The task does not say how to answer: add "and confirm it" if you agree.`,
  };
}

function isQuestion(node: ObservedNode): boolean {
  if (node.role !== "alertdialog" && node.role !== "dialog") return false;
  const buttons = [...walk(node)].filter((visit) => visit.node.role === "button").map((visit) => visit.node);
  return (
    buttons.length >= 2 && buttons.some(({ name }) => REFUSAL_LABEL.test(name)) && CONFIRMATION_TEXT.test(textOf(node))
  );
}

/** A separate page with a heading such as "Delete this address?", a way to agree and a way to cancel. */
function findAskingHeading(root: ObservedNode): ObservedNode | undefined {
  const [main = root] = [...walk(root)].filter(({ node }) => node.role === "main").map(({ node }) => node);
  const nodes = [...walk(main)].map(({ node }) => node);
  const heading = nodes.find(({ role, states }) => role === "heading" && (states.level ?? 1) === 1);
  const isAsking = heading !== undefined && /\?\s*$/.test(textOf(heading));
  const canAgree = nodes.some(({ role, name }) => role === "button" && !REFUSAL_LABEL.test(name));
  const canRefuse = nodes.some(({ role, name }) => (role === "button" || role === "link") && REFUSAL_LABEL.test(name));
  return isAsking && canAgree && canRefuse ? heading : undefined;
}

/** The run ended on a page of an allowed host. */
function checkFinalUrl(url: string, session: BrowserSession): Check {
  const about = "The run ended on a page it may visit";
  return session.allows(url)
    ? { about, verdict: "satisfied", evidence: redactUrl(url) }
    : { about, verdict: "contradicted", evidence: `${url.slice(0, 100)} is not on an allowed host.` };
}

/** The last page exists on the site and is not an error page. */
function checkFinalStatus(url: string, requests: readonly NetworkRecord[]): Check {
  const about = "The last page of the run exists";
  const document = requests.findLast((request) => request.isNavigation && isSameDocument(request.url, url));
  const status = document?.status ?? null;
  return status !== null && status >= 400
    ? { about, verdict: "contradicted", evidence: `${redactUrl(url)} returned ${status}.` }
    : {
        about,
        verdict: "satisfied",
        evidence: status === null ? `${redactUrl(url)} was already open.` : `${redactUrl(url)} returned ${status}.`,
      };
}
