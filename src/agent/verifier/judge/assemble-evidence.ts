import type { ObservedNode } from "../../../browser/observation/observed-node.ts";
import { estimateTokens } from "../../../lib/estimate-tokens.ts";
import { capturePage, contains } from "../../captured-pages.ts";
import type { Claim } from "../../planner/planner.ts";
import { redactUrl } from "../../redact-url.ts";
import type { AttributedWrite } from "../../side-effects.ts";
import { findLook } from "../second-look.ts";
import type { Verification } from "../verify.ts";
import { fitLines, toWords } from "./fit-lines.ts";
import type { Evidence } from "./judge.ts";
import { toPageLines } from "./page-lines.ts";

/** For all pages together; a page that needs less leaves more for the next. */
const MAX_PAGE_TOKENS = 6_000;
const MAX_PAGES_ON_THE_WAY = 4;
const MAX_RECORDS = 40;

/** A page that may be shown to the judge. */
interface Sheet {
  readonly what: string;
  readonly url: string;
  readonly title: string;
  readonly root: ObservedNode;
  readonly whole: string;
}

/** What stands for or against a claim, from the browser's own records, what weighs most first. */
export function assembleEvidence(trial: Verification, wanted: string): Evidence[] {
  const { claim, ledger, session, begin } = trial;
  const { downloads, dialogs } = session.since(begin);
  const quotes = quotesOf(claim);
  const pages = renderSheets(findSheets(trial, quotes), quotes, new Set(toWords(wanted)));
  const records = [
    toRecord("Requests of the run that may have changed something", tellWrites(ledger.attribute(session.writes()))),
    toRecord(
      "Files that were downloaded",
      downloads.map(({ name, bytes, refusal }) => `${name}: ${bytes} bytes, ${refusal ?? "kept"}`),
    ),
    toRecord(
      "Questions that the browser asked in the page's name",
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

/** Fresh looks, then the run's own tab, then what was only to be seen on the way. */
function findSheets(trial: Verification, quotes: readonly string[]): Sheet[] {
  const fresh = trial.looks.flatMap(({ observation, page, note }): Sheet[] => {
    if (observation === null || page === null) return [];
    const what = `A page as a fresh browser shows it after the run${note === null ? "" : "; it was sent on to this one"}`;
    return [{ what, url: observation.url, title: observation.title, root: observation.root, whole: page.text }];
  });
  const { url, title, root } = trial.live;
  const own: Sheet = {
    what: "The last page of the run, in its own tab; what is not on a fresh page may be out of date or never kept",
    url,
    title,
    root,
    whole: capturePage(trial.live).text,
  };
  return [...fresh, ...(fresh.some((sheet) => isAlike(sheet, own)) ? [] : [own]), ...seenOnTheWay(trial, quotes)];
}

function isAlike(one: Sheet, other: Sheet): boolean {
  return one.url === other.url && one.whole === other.whole;
}

/** The pages with a quote that neither a fresh browser nor the last page shows. */
function seenOnTheWay({ captured, looks, live }: Verification, quotes: readonly string[]): Sheet[] {
  const shown = [...looks.flatMap(({ page }) => (page === null ? [] : [page.text])), capturePage(live).text];
  const open = quotes.filter((quote) => !shown.some((text) => contains(text, quote)));
  const pages = captured.list().filter(({ text }) => open.some((quote) => contains(text, quote)));
  return pages.slice(-MAX_PAGES_ON_THE_WAY).map(({ url, root, text }) => {
    const isGone = findLook(looks, url)?.page != null;
    const since = isGone ? "; a fresh browser shows another state of it" : "";
    return { what: `A page as the run saw it on its way${since}`, url, title: "", root, whole: text };
  });
}

function renderSheets(sheets: readonly Sheet[], quotes: readonly string[], words: ReadonlySet<string>): Part[] {
  let left = MAX_PAGE_TOKENS;
  return sheets.map(({ what, url, title, root, whole }, index) => {
    const maxTokens = Math.floor(left / (sheets.length - index));
    const head = [`address: ${redactUrl(url)}`, ...(title === "" ? [] : [`title: ${title.slice(0, 120)}`])].join("\n");
    const text = `${head}\n${fitLines(toPageLines(root), { quotes, words, maxTokens })}`;
    left -= estimateTokens(text);
    return { what, text, whole };
  });
}

function toRecord(what: string, lines: readonly string[]): Part[] {
  if (lines.length === 0) return [];
  const rest = lines.length - MAX_RECORDS;
  const text = [...lines.slice(0, MAX_RECORDS), ...(rest > 0 ? [`… and ${rest} more`] : [])].join("\n");
  return [{ what, text, whole: "" }];
}

/** In their order; where there are too many, those that failed and the newest come first. */
export function tellWrites(writes: readonly AttributedWrite[]): string[] {
  if (writes.length <= MAX_RECORDS) return writes.map(tellWrite);
  const hasFailed = ({ write: { status } }: AttributedWrite) => status === null || status >= 400;
  const newest = writes.toReversed();
  return [...newest.filter(hasFailed), ...newest.filter((each) => !hasFailed(each))].map(tellWrite);
}

function tellWrite({ write: { method, url, status, failure, isFirstParty }, cause }: AttributedWrite): string {
  const answer = status === null ? `not answered (${failure ?? "still waiting"})` : `answered ${status}`;
  const where = isFirstParty ? "" : ", another site";
  return `step ${cause?.step ?? 0}: ${method} ${redactUrl(url)} ${answer}${where}`;
}
