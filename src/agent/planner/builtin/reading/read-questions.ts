import { parseQuestion } from "../../../extraction/questions/parse-question.ts";
import type { ClauseReader } from "./clause-reader.ts";

const ASK =
  /^(?:tell me|let me know|find out|report(?: back)?(?: to me)?|say|answer(?: with)?|note(?: down)?|read(?: out)?|state|write down|give me|show me|get(?: me)?|return|determine|look up|print|output|provide|fetch|copy down|remember|check)\s+(.+)$/i;
const QUESTION =
  /^(?:what|what's|which|who|whose|when|where|how (?:many|much|long|old|far|often)|is|are|does|do|did|has|have|was|were)\b.+/i;
const LIST = /^(?:list|extract|collect|gather|scrape|compile|enumerate|record|summari[sz]e|count)\s+(.+)$/i;
const ASK_LEAD =
  /^(?:report(?: back)?(?: to me)?|state|write down|get me|print|output|provide|fetch|copy down|remember|note down|answer with)\s+/i;
const ALL_PAGES =
  /\s*[,(]?\s*\b(?:(?:over|across|on|from|through|of|in|including)\s+(?:all|every|each)(?:\s+(?:of )?the)?\s+(?:result )?pages?|all pages|every page|page by page)\b\)?/i;

const ON_PAGE = /\s*\b(?:on|from) (?:this|the (?:first|current)) page\b/i;
const SHAPE =
  /\s*[,(]?\s*\b(?:as|in) (?:a )?(?:json|csv|(?:bullet(?:ed)? )?list|table)(?: (?:format|array|object))?\b\)?/i;

/** What is to be found out: a single answer, or a whole list. Only what the readers of pages can answer is taken. */
export const readQuestion: ClauseReader = (clause, { quotes }) => {
  const isAsked = ASK.test(clause) || LIST.test(clause) || QUESTION.test(clause);
  if (!isAsked) return null;
  const isOnPage = ON_PAGE.test(clause);
  const plain = quotes
    .reveal(clause.replace(ALL_PAGES, "").replace(ON_PAGE, "").replace(SHAPE, ""))
    .replace(ASK_LEAD, "");
  const listed = LIST.exec(plain)?.[1];
  const asked =
    listed === undefined
      ? plain
      : /^count\b/i.test(plain)
        ? `how many ${listed.replace(/^(?:the |all )+(?:number of )?/i, "")}`
        : listed;
  const question = parseQuestion(asked.replace(/\b(?:its|their|his|her)\s+(?=\p{L})/giu, "the "));
  return question === null ? null : [{ said: quotes.reveal(clause), kind: "ask", question, isOnPage }];
};

const VERIFY = /^(?:verify|check|confirm|ensure|make sure|see)\s+(?:that|whether|if)\s+(.+)$/i;

/** "check that the page says X": something to be seen, or the task has not been done. */
export const readExpectation: ClauseReader = (clause, { quotes }) => {
  const what = VERIFY.exec(clause)?.[1];
  if (what === undefined) return null;
  const said = quotes.reveal(clause);
  const quote = /[\uE000-\uF8FF]/.exec(what)?.[0];
  if (quote !== undefined)
    return [{ said, kind: "await", text: quotes.reveal(quote), gone: /\b(?:no longer|not)\b/i.test(what) }];
  const question = parseQuestion(quotes.reveal(what));
  return question === null ? null : [{ said, kind: "ask", question, isOnPage: false }];
};
