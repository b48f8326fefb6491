import { stripLeadingFiller } from "./filler.ts";
import { startsWithQuestion, startsWithVerb } from "./verbs.ts";

const REPEATED =
  /^(?:double[- ]click(?: on)?|click(?: on)?|press|tap(?: on)?|hit|hover (?:over|on)|open|choose|select|pick|expand|go to)(?=\s)/i;
/** A label: it begins with a capital letter, a digit or a quotation, and is short. */
const LABEL = /^(?:on\s+)?(?:the\s+|an?\s+)?[\p{Lu}\p{N}\uE000-\uF8FF][^:=,]{0,60}$/u;
const MAX_WORDS = 6;

/** "Click Export", "CSV" → "Click CSV". A clause that says by itself what to do stays as it is. */
export function repeatVerb(before: string, clause: string): string {
  const verb = REPEATED.exec(stripLeadingFiller(before))?.[0];
  const text = clause.trim();
  if (verb === undefined || !LABEL.test(text) || text.split(/\s+/).length > MAX_WORDS) return clause;
  const plain = stripLeadingFiller(text);
  return startsWithVerb(plain) || startsWithQuestion(plain) ? clause : `${verb} ${text}`;
}
