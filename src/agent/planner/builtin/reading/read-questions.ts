import type { ClauseReader } from "./clause-reader.ts";

const ASK =
  /^(?:tell me|let me know|find out|report(?: back)?(?: to me)?|say|answer(?: with)?|note(?: down)?|read(?: out)?|state|write down|give me|show me|get(?: me)?|return|determine|look up|print|output|provide|fetch|copy down|remember|check)\s+(.+)$/i;
const QUESTION = /^(?:what|what's|which|who|whose|when|where|how (?:many|much|long|old|far|often)|is|are|does|do|did|has|have|was|were)\b.+/i;
const LIST = /^(?:list|extract|collect|gather|scrape|compile|enumerate|record|summari[sz]e|count)\s+(.+)$/i;
const PLURAL_WHOLE = /^(?:(?:the )?(?:names?|prices?|titles?|details|addresses|links|urls?)\s+(?:and|of|,).*\b(?:all|every|each|products|items|rows|results|orders|articles|posts|entries)\b|all\b|every\b|each\b|a list of\b|the list of\b|a table of\b)/i;
const ALL_PAGES = /\s*[,(]?\s*\b(?:(?:over|across|on|from|through|of|in|including)\s+(?:all|every|each)(?:\s+(?:of )?the)?\s+(?:result )?pages?|all pages|every page|page by page)\b\)?/i;

/** What is to be found out: a single answer, or a whole list. */
export const readQuestion: ClauseReader = (clause, { quotes }) => {
  const said = quotes.reveal(clause);
  const allPages = ALL_PAGES.test(clause);
  const text = clause.replace(ALL_PAGES, "");
  const list = LIST.exec(text)?.[1];
  if (list !== undefined && !/^count\b/i.test(text)) return [{ said, kind: "extract", request: quotes.reveal(text), allPages }];
  const asked = ASK.exec(text)?.[1];
  if (asked !== undefined && PLURAL_WHOLE.test(asked)) return [{ said, kind: "extract", request: quotes.reveal(text), allPages }];
  if (/^count\b/i.test(text)) return [{ said, kind: "ask", question: quotes.reveal(`how many ${list ?? ""}`).replace(/how many (?:the )?(?:number of )?/i, "how many ") }];
  if (asked !== undefined) return [{ said, kind: "ask", question: quotes.reveal(asked) }];
  return QUESTION.test(clause) ? [{ said, kind: "ask", question: quotes.reveal(clause) }] : null;
};

const VERIFY = /^(?:verify|check|confirm|ensure|make sure|see)\s+(?:that|whether|if)\s+(.+)$/i;

/** "check that the page says X": something to be seen, or the task has not been done. */
export const readExpectation: ClauseReader = (clause, { quotes }) => {
  const what = VERIFY.exec(clause)?.[1];
  if (what === undefined) return null;
  const said = quotes.reveal(clause);
  const quote = /[\uE000-\uF8FF]/.exec(what)?.[0];
  if (quote !== undefined) return [{ said, kind: "await", text: quotes.reveal(quote), gone: /\b(?:no longer|not)\b/i.test(what) }];
  return [{ said, kind: "ask", question: quotes.reveal(what) }];
};
