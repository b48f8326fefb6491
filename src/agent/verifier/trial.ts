import type { ObservedNode } from "../../browser/observation/observation.ts";
import { estimateTokens } from "../../lib/estimate-tokens.ts";
import { type AttributedWrite, isBeacon } from "../actions/side-effects.ts";
import { capturePage, contains, isSamePage } from "../grounding/captured-pages.ts";
import type { Claim, Criterion, Screenshot } from "../grounding/claim.ts";
import { redactUrl, toOneLine } from "../safe-text.ts";
import { type Entry, findEntries, findFreshPage, identityOf } from "./case.ts";
import { compareWithFreshPages, describeData } from "./claimed-data.ts";
import type { Change, Evidence, Trial } from "./judge.ts";
import { fitLines, type PageLine, toPageLines, toWords } from "./page-lines.ts";
import type { Verification } from "./verify.ts";

interface TrialParts extends Verification {
  readonly criteria: readonly Criterion[];
  readonly picture: Screenshot | null;
}

/**
 * Everything that was observed and done, from the browser's own records. Nothing comes from the planner's reasoning. On large
 * pages this takes a long time: run it in slices.
 */
export function* assembleTrial({ criteria, picture, ...verification }: TrialParts): Generator<void, Trial> {
  const { task, claim, ledger, session } = verification;
  const wanted = [task.prompt, ...criteria.map(({ text }) => text), claim.answer].join(" ");
  const data = claim.extraction === null ? null : describeData(claim.extraction.data);
  const compared = data?.isLong ? compareWithFreshPages(verification) : [];
  return {
    task,
    criteria,
    answer: claim.answer,
    data: data?.text ?? null,
    evidence: yield* assembleEvidence(verification, wanted, compared),
    changes: describeChanges(ledger.attribute(session.writes()), findEntries(ledger.steps)),
    picture,
  };
}

/** For all pages together: a short page leaves more for the next. */
const MAX_PAGE_TOKENS = 6_000;
const MAX_EARLIER_PAGES = 4;
const MAX_RECORDS = 40;

/** A page that may be shown to the judge. */
interface JudgePage {
  readonly what: string;
  readonly url: string;
  readonly title: string;
  readonly root: ObservedNode;
  readonly whole: string;
}

/** The evidence for or against a claim, from the browser's own records, the strongest first. */
function* assembleEvidence(
  verification: Verification,
  wanted: string,
  compared: readonly string[],
): Generator<void, Evidence[]> {
  const { claim, ledger, session, begin } = verification;
  const { downloads, dialogs } = session.since(begin);
  const quotes = quotesOf(claim);
  yield;
  const collected = collectPages(verification, quotes);
  yield;
  const pages = yield* renderPages(collected, quotes, new Set(toWords(wanted)));
  const records = [
    toRecord("The data, compared by code with pages that were loaded again after the run", compared),
    toRecord("Requests of the run that may have changed something", describeWrites(ledger.attribute(session.writes()))),
    toRecord(
      "Downloaded files",
      downloads.map(({ name, bytes, refusal }) => `${name}: ${bytes} bytes, ${refusal ?? "kept"}`),
    ),
    toRecord(
      "Dialogs that the page opened in the browser",
      dialogs.map(({ dialog, answer }) => `${dialog.kind} "${dialog.message.slice(0, 200)}": ${answer ?? "left open"}`),
    ),
  ].flat();
  return [...pages, ...records].map((part, index) => ({ id: `e${index + 1}`, ...part }));
}

type Part = Omit<Evidence, "id">;

function quotesOf({ facts, extraction, conditions }: Claim): string[] {
  return [
    ...facts.map(({ quote }) => quote),
    ...(extraction?.leaves.map(({ quote }) => quote) ?? []),
    ...conditions.map((condition) => (condition.kind === "text" ? condition.text : null)),
  ].filter((quote) => quote !== null && quote !== "") as string[];
}

/** Fresh pages, then the run's own tab, then pages that were only seen earlier. */
function collectPages(verification: Verification, quotes: readonly string[]): JudgePage[] {
  const fresh = verification.freshPages.flatMap(({ observation, page, note, clicked = [] }): JudgePage[] => {
    if (observation === null || page === null) return [];
    const opened =
      clicked.length === 0 ? "" : `, with ${clicked.map((name) => `"${toOneLine(name, 40)}"`).join(", ")} clicked`;
    const what = `A page as a fresh browser shows it after the run${opened}${note === null ? "" : "; it was redirected to this one"}`;
    return [{ what, url: observation.url, title: observation.title, root: observation.root, whole: page.text }];
  });
  const { url, title, root } = verification.live;
  const own: JudgePage = {
    what: "The last page of the run, in its own tab; what is not on a fresh page may be out of date or never saved",
    url,
    title,
    root,
    whole: capturePage(verification.live).text,
  };
  const others = fresh.some((page) => isSame(page, own)) ? [] : [own];
  return [...fresh, ...others, ...findEarlierPages(verification, own.whole, quotes)];
}

function isSame(one: JudgePage, other: JudgePage): boolean {
  return one.url === other.url && one.whole === other.whole;
}

/** Pages with a quote that neither a fresh browser nor the last page shows. */
function findEarlierPages(
  { captured, freshPages }: Verification,
  lastText: string,
  quotes: readonly string[],
): JudgePage[] {
  const shown = [...freshPages.flatMap(({ page }) => (page === null ? [] : [page.text])), lastText];
  const open = quotes.filter((quote) => !shown.some((text) => contains(text, quote)));
  const pages = captured.list().filter(({ text }) => open.some((quote) => contains(text, quote)));
  return pages.slice(-MAX_EARLIER_PAGES).map(({ url, root, text }) => {
    const hasFresh = findFreshPage(freshPages, url)?.page != null;
    const since = hasFresh ? "; a fresh browser shows another state of it" : "";
    return { what: `A page as the run saw it earlier${since}`, url, title: "", root, whole: text };
  });
}

/** Of several states of a page, the first is rendered, and of the others only the lines that it does not have. */
function* renderPages(
  pages: readonly JudgePage[],
  quotes: readonly string[],
  words: ReadonlySet<string>,
): Generator<void, Part[]> {
  let left = MAX_PAGE_TOKENS;
  const linesOf: (readonly PageLine[])[] = [];
  for (const { root } of pages) {
    linesOf.push(toPageLines(root));
    yield;
  }
  const parts: Part[] = [];
  for (const [index, { what, url, title, whole }] of pages.entries()) {
    const maxTokens = Math.floor(left / (pages.length - index));
    const first = pages.findIndex((page) => isSamePage(page.url, url));
    const lines = linesOf[index] ?? [];
    const known = new Set(first === index ? [] : linesOf[first]?.map(({ text }) => text));
    const only = first === index ? "" : `; only the lines that e${first + 1} does not have`;
    const head = [`URL: ${redactUrl(url)}`, ...(title === "" ? [] : [`title: ${title.slice(0, 120)}`])].join("\n");
    const own = lines.filter(({ text }) => !known.has(text));
    const text = `${head}\n${own.length === 0 ? "(no other lines)" : fitLines(own, { quotes, words }, maxTokens).text}`;
    left -= estimateTokens(text);
    parts.push({ what: `${what}${only}`, text, parts: lines.flatMap((line) => line.parts), whole });
    yield;
  }
  return parts;
}

function toRecord(what: string, lines: readonly string[]): Part[] {
  if (lines.length === 0) return [];
  const rest = lines.length - MAX_RECORDS;
  const text = [...lines.slice(0, MAX_RECORDS), ...(rest > 0 ? [`… and ${rest} more`] : [])].join("\n");
  return [{ what, text, parts: lines.slice(0, MAX_RECORDS), whole: "" }];
}

/** In order; where there are too many, first those that failed, then the newest. */
export function describeWrites(writes: readonly AttributedWrite[]): string[] {
  if (writes.length <= MAX_RECORDS) return writes.map(describeWrite);
  const hasFailed = ({ write: { status } }: AttributedWrite) => status === null || status >= 400;
  const newest = writes.toReversed();
  return [...newest.filter(hasFailed), ...newest.filter((each) => !hasFailed(each))].map(describeWrite);
}

function describeWrite({ write: { method, url, status, failure, isFirstParty }, cause }: AttributedWrite): string {
  const response = status === null ? `got no response (${failure ?? "still waiting"})` : `returned ${status}`;
  const where = isFirstParty ? "" : ", another site";
  return `step ${cause?.step ?? 0}: ${method} ${redactUrl(url)} ${response}${where}`;
}

const MAX_CHANGES = 100;
/** With more of them each is described in fewer words. */
const MANY = 25;
const MAX_ENTRIES = 8;
const MAX_VALUE = 60;
const MAX_URL = 160;

/** Every write of the run in words; equal ones are listed once. */
export function describeChanges(writes: readonly AttributedWrite[], entries: readonly Entry[]): Change[] {
  const fine = [...Map.groupBy(writes, keyOf).values()];
  const groups = fine.length <= MAX_CHANGES ? fine : [...Map.groupBy(writes, coarseKeyOf).values()];
  const listed = groups.slice(0, MAX_CHANGES).map((group, index) => ({
    id: `w${index + 1}`,
    text: describe(group, groups.length > MANY ? [] : entries),
    isTechnical: group.every(isTechnical),
    isListed: true,
  }));
  const rest = groups.slice(MAX_CHANGES).flat().length;
  if (rest === 0) return listed;
  return [
    ...listed,
    { id: `w${listed.length + 1}`, text: `${rest} more requests`, isTechnical: false, isListed: false },
  ];
}

/**
 * What a page sends by itself: beacons, and requests while it is only opened and read. A form that it submits is not technical,
 * and neither is anything that a step caused by acting on the page, whatever host it went to.
 */
function isTechnical({ write, cause }: AttributedWrite): boolean {
  if (isBeacon(write)) return true;
  if (!write.isFirstParty) return cause?.effect !== "mutate";
  const isOnlyRead = cause === null || cause.effect === "read" || cause.effect === "navigate";
  return isOnlyRead && !write.isNavigation;
}

function keyOf(attributed: AttributedWrite): string {
  const { write, cause } = attributed;
  const { host, pathname } = URL.parse(write.url) ?? { host: "", pathname: "" };
  const what = [write.method, host, pathname, write.status];
  return JSON.stringify(
    isTechnical(attributed) ? ["technical", ...what] : [...what, cause && identityOf(cause.call), cause?.url],
  );
}

/** Where a page sends so much by itself that it would crowd out the rest, its requests are grouped by host. */
function coarseKeyOf(attributed: AttributedWrite): string {
  const { method, url, status } = attributed.write;
  return isTechnical(attributed)
    ? JSON.stringify(["technical", method, URL.parse(url)?.host, status])
    : keyOf(attributed);
}

function describe(group: readonly AttributedWrite[], entries: readonly Entry[]): string {
  const [first] = group;
  if (first === undefined) return "";
  const { write, cause } = first;
  const times = group.length === 1 ? "" : ` (${group.length} times)`;
  const form = write.isNavigation ? "a form, " : "";
  const failure = write.failure === null ? "" : `: ${write.failure}`;
  const response = write.status === null ? `got no response${failure}` : `returned ${write.status}`;
  const what = `${write.method} ${toOneLine(redactUrl(write.url), MAX_URL)}${times}: ${form}${response}`;
  if (cause === null) return `${what}; sent by the page itself`;
  const typed = entries.filter(({ step, url }) => step <= cause.step && isSamePage(url, cause.url));
  const values = typed
    .slice(-MAX_ENTRIES)
    .map(({ label, value }) => `${toOneLine(label, MAX_VALUE)} = "${toOneLine(value, MAX_VALUE)}"`);
  const entered = values.length === 0 ? "" : `; entered there: ${values.join(", ")}`;
  const step = `step ${cause.step}, ${toOneLine(cause.cause, MAX_URL)}`;
  return `${what}; ${step}, on ${toOneLine(redactUrl(cause.url), MAX_URL)}${entered}`;
}
