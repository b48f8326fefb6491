import { type CapturedPage, contains, isSamePage } from "../../captured-pages.ts";
import type { Check } from "../../errand.ts";
import type { Fact } from "../../extraction/fact.ts";
import { toPageLines } from "../judge/page-lines.ts";
import { findLook } from "../second-look.ts";
import type { Case } from "./case.ts";

/** It changes by itself. */
const MOVING = /\bago\b|\d{1,2}:\d{2}|\b(?:now|today|online|views?|visitors?)\b/i;

/**
 * What was read is still so: where a fresh browser shows the same line with another number, the run has read an old one.
 * A page that a step has brought into a state of its own, such as a filter, is not the page that its address shows.
 */
export function checkStaleness(held: Case): Check[] {
  return held.claim.facts.flatMap((fact) => {
    const now = isOfAddress(fact.url, held) ? findSuccessor(fact, held) : null;
    if (now === null) return [];
    const evidence = `The run read "${(fact.quote ?? "").slice(0, 80)}"; a fresh browser shows "${now.slice(0, 120)}".`;
    return [
      {
        about: `What was read for "${fact.label.slice(0, 80)}" is still so`,
        verdict: "contradicted" as const,
        evidence,
      },
    ];
  });
}

/** Nothing on the page was touched; or what was touched has been sent, so that its address shows it. */
function isOfAddress(url: string, { steps, live, writes }: Case): boolean {
  const isTouched = steps.some(
    (step) => step.effect === "mutate" && isSamePage(step.url, url) && isSamePage(live.url, url),
  );
  return !isTouched || writes.some(({ write, cause }) => write.isFirstParty && cause?.effect === "mutate");
}

/** The line that has taken the place of the one that was read. */
function findSuccessor({ quote, url }: Fact, { looks, captured, live }: Case): string | null {
  const look = findLook(looks, url);
  if (quote === null || !/\d/.test(quote) || look?.page == null || look.note !== null) return null;
  if (contains(look.page.text, quote)) return null;
  const isStillShown = isSamePage(live.url, url) && contains(toPageLines(live.root).join(" "), quote);
  const seen = captured.list().find((page) => isSamePage(page.url, url) && contains(page.text, quote));
  const line = seen === undefined ? undefined : findLine(seen, quote);
  if (line === undefined || MOVING.test(line) || (isStillShown && !isUntouched(seen, captured.list()))) return null;
  return toPageLines(look.page.root).find((other) => other !== line && mask(other) === mask(line)) ?? null;
}

/** The page has had one state only since it was opened. */
function isUntouched(page: CapturedPage | undefined, pages: readonly CapturedPage[]): boolean {
  return page !== undefined && pages.filter((other) => isSamePage(other.url, page.url)).length === 1;
}

/** A number alone could be any number. */
function findLine({ root }: CapturedPage, quote: string): string | undefined {
  return toPageLines(root).find((line) => contains(line, quote) && /\p{L}{2}/u.test(line));
}

function mask(line: string): string {
  return line.replace(/\d+(?:[.,]\d+)*/g, "0");
}
