import { foldVisible } from "../../browser/observation/visible-text.ts";
import { readRecordSets } from "../extraction/read-record-sets.ts";
import { type CapturedPage, contains, isSamePage, withoutMachineTextOf } from "../grounding/captured-pages.ts";
import { isSameValue } from "../grounding/page-text.ts";
import { findQuote } from "../grounding/quotes.ts";
import { findLabelsInSentence, splitLabel } from "../grounding/short-texts.ts";
import { redactUrl } from "../safe-text.ts";
import type { Case } from "./case.ts";
import type { Check } from "./check.ts";
import { toPageLines } from "./page-lines.ts";

/** A quote that a claim rests on. */
interface Source {
  readonly what: string;
  readonly quote: string;
  readonly url: string;
  readonly value: unknown;
}

/** A page, and what is left of it without text that addresses machines. */
interface SourcePage {
  readonly page: CapturedPage;
  readonly source: CapturedPage;
  /** What its sentences say: "your order number is T-200". */
  readonly mentions: readonly Mention[];
}

interface Mention {
  readonly label: string;
  readonly value: string;
  readonly line: string;
}

/** Text that addresses agents, models or assistants is no source, and a sentence is one only if every mention agrees. */
export function* checkSources(context: Case): Generator<void, Check[]> {
  const sources = findSources(context);
  const pagesOf = new Map<string, SourcePage[]>();
  for (const { url } of sources) if (!pagesOf.has(url)) pagesOf.set(url, yield* readPages(url, context));
  for (const source of sources) {
    const pages = pagesOf.get(source.url) ?? [];
    if (isOnlyMachineText(source, pages)) {
      const evidence = `"${source.quote.slice(0, 80)}" at ${redactUrl(source.url)} is in text that addresses AI agents or assistants.`;
      return [{ about: `${source.what} comes from the page itself`, verdict: "contradicted", evidence }];
    }
    const other = findOtherMention(source, pages);
    if (other !== null) {
      const evidence = `The page says "${source.quote.slice(0, 80)}", and elsewhere "${other.slice(0, 80)}".`;
      return [{ about: `${source.what} is the same wherever the page states it`, verdict: "contradicted", evidence }];
    }
  }
  return [];
}

function findSources({ claim: { facts, extraction, conditions } }: Case): Source[] {
  const all = [
    ...facts.map(({ label, ...rest }) => ({ what: `The answer for "${label.slice(0, 80)}"`, ...rest })),
    ...(extraction?.leaves ?? []).map(({ pointer, ...rest }) => ({ what: `The value of ${pointer || "/"}`, ...rest })),
    ...conditions.flatMap((each) =>
      each.kind === "text" ? [{ what: "The proof", quote: each.text, url: each.url, value: each.text }] : [],
    ),
  ];
  return all.flatMap(({ what, quote, url, value }) => (quote === null ? [] : [{ what, quote, url, value }]));
}

function* readPages(url: string, { captured, freshPages }: Case): Generator<void, SourcePage[]> {
  const pages = [...captured.list(), ...freshPages.flatMap(({ page }) => (page === null ? [] : [page]))];
  const read: SourcePage[] = [];
  for (const page of pages) {
    if (!isSamePage(page.url, url)) continue;
    const source = withoutMachineTextOf(page);
    yield;
    read.push({ page, source, mentions: findMentions(page) });
    yield;
  }
  return read;
}

function findMentions({ root }: CapturedPage): Mention[] {
  return toPageLines(root).flatMap(({ text }) => findLabelsInSentence(text).map((each) => ({ ...each, line: text })));
}

function isOnlyMachineText({ quote, value }: Source, pages: readonly SourcePage[]): boolean {
  if (pages.every(({ page, source }) => page === source)) return false;
  const having = pages.filter(({ page }) => contains(page.text, quote));
  // A URL is quoted from a link.
  if (having.length === 0 || (value === quote && having.some(({ page }) => page.links.has(quote)))) return false;
  return !having.some(({ page, source }) => source === page || findQuote(source.text, quote, source.folded) !== null);
}

/** "Your customer number is 1." and "Customer number: 2" on one page: another value under the label of a sentence. */
function findOtherMention({ quote, value }: Source, pages: readonly SourcePage[]): string | null {
  for (const { page, mentions } of pages) {
    const own = mentions.find(
      (each) => contains(each.line, quote) && contains(quote, each.value) && contains(each.value, String(value)),
    );
    if (own === undefined) continue;
    const lines = toPageLines(page.root).map(({ text }) => splitLabel(text));
    const others = [...mentions, ...lines.filter((each) => each !== null), ...findLabelled(page)];
    const label = toLabel(own.label);
    const other = others.find(
      (each) => toLabel(each.label) === label && /\d/.test(each.value) && !isSameValue(each.value, own.value),
    );
    if (other !== undefined) return `${other.label}: ${other.value}`;
  }
  return null;
}

function findLabelled({ root, url }: CapturedPage): { label: string; value: string }[] {
  return readRecordSets(root, url)
    .filter(({ kind }) => kind === "labelled")
    .flatMap(({ rows }) => rows)
    .flatMap(({ cells }) => [...cells].map(([label, { text }]) => ({ label, value: text })));
}

function toLabel(text: string): string {
  return foldVisible(text).replace(/^(?:your|the|my|our) /, "");
}
