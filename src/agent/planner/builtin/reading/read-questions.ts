import { parseQuestion } from "../../../extraction/questions/parse-question.ts";
import type { Question } from "../../../extraction/questions/question.ts";
import type { ClauseReader } from "./clause-reader.ts";
import { readTarget } from "./target.ts";

const ASK =
  /^(?:tell me|let me know|find out|report(?: back)?(?: to me)?|say|answer(?: with)?|note(?: down)?|read(?: out)?|state|write down|give me|show me|get(?: me)?|return|determine|look up|print|output|provide|fetch|copy down|remember|check(?=\s+(?:the|what|how|which|my|when|who)\b))\s+(.+)$/i;
const QUESTION =
  /^(?:what|what's|which|who|whose|when|where|how (?:many|much|long|old|far|often)|is|are|does|do|did|has|have|was|were)\b.+/i;
const LIST = /^(?:list|extract|collect|gather|scrape|compile|enumerate|record|count)\s+(.+)$/i;
const ALL_PAGES =
  /\s*[,(]?\s*\b(?:(?:over|across|on|from|through|of|in|including)\s+(?:all|every|each)(?:\s+(?:of )?the)?\s+(?:result )?pages?|all pages|every page|page by page)\b\)?/i;
const ON_PAGE = /(?:\s|^)(?:on|from) (?:this|the (?:first|current)) page\b/i;
const SHAPE =
  /\s*[,(]?\s*\b(?:as|in) (?:a )?(?:json|csv|(?:bullet(?:ed)? )?list|table)(?: (?:format|array|object))?\b\)?/i;
const PLACE = /\s+(?:from|in|on) the (?:table|list|page|site|results|shop|store|catalog(?:ue)?)$/i;

/** What is to be found out: a single answer, or a whole list. Only what the readers of pages can answer is taken. */
export const readQuestion: ClauseReader = (clause, { quotes, whole }) => {
  if (!ASK.test(clause) && !LIST.test(clause) && !QUESTION.test(clause)) return null;
  const isOnPage = ON_PAGE.test(whole);
  const plain = quotes.reveal(clause.replace(ALL_PAGES, "").replace(ON_PAGE, "").replace(SHAPE, ""));
  const question = ask(plain.replace(PLACE, ""));
  return question === null ? null : [{ said: quotes.reveal(clause), kind: "ask", question, isOnPage }];
};

function ask(text: string): Question | null {
  const listed = LIST.exec(text)?.[1];
  const asked = listed ?? ASK.exec(text)?.[1] ?? text;
  const plain = /^count\b/i.test(text) ? `how many ${asked.replace(/^(?:the |all )+(?:number of )?/i, "")}` : asked;
  const question = parseQuestion(
    putFieldsFirst(askDirectly(plain)).replace(/\b(?:its|their|his|her)\s+(?=\p{L})/giu, "the "),
  );
  const meant = listed === undefined || question === null ? question : takeAsList(question);
  return meant !== null && isPlain(meant) ? meant : null;
}

/** Of one thing: a page has several names and prices, but those are values, and "list the orders" means the orders. */
const VALUES =
  /^(?:prices?|names?|titles?|dates?|totals?|ratings?|links?|urls?|status(?:es)?|numbers?|codes?|address)$/i;

/** "list my orders": things in the plural are a list, with or without "all". */
function takeAsList(question: Question): Question {
  if (question.kind !== "value" || question.subject.kind !== "page" || question.fields.length !== 1) return question;
  const [noun = ""] = question.fields;
  if (!/^[a-z][a-z -]*[^s]s$/.test(noun) || VALUES.test(noun)) return question;
  return parseQuestion(`all ${noun}`) ?? question;
}

/** "when the newest order arrives" → "when does the newest order arrive"; "how much the kettle costs" likewise. */
function askDirectly(text: string): string {
  return text
    .replace(
      /^when (?!is|are|was|were|does|do|did|will|has|have)(.+?) (?:will )?(arrives?|is due|ends?|starts?|begins?|expires?)$/i,
      "when does $1 $2",
    )
    .replace(
      /^when (?!is|are|was|were|does|do|did|will|has|have)(.+?) (?:was|is|were|will be) (\w+)$/i,
      "when was $1 $2",
    )
    .replace(/^how much (?!is|are|does|do|did|was)(.+?) (?:costs?|is|are)$/i, "how much is $1")
    .replace(/^(?:what|which) (?!is|are|was|were)(.+?) (?:is|are)$/i, "what is $1")
    .replace(/^(?:whether|if) (.+?) (is|are) (.+)$/i, "$2 $1 $3");
}

const WITH_FIELDS =
  /^(?:all (?:of )?(?:the )?|every |each |the )?(.+?),? (?:with|including) (?:their|its|the)? ?((?:names?|titles?|prices?|ratings?|links?|urls?|addresses|dates?|status(?:es)?|quantit(?:y|ies)|totals?|availability|stock|descriptions?)(?:(?:, | and |, and )[\p{L} ]+)*)$/iu;

/** "all products under £20 with name and price" → "the name and price of all products under £20". */
function putFieldsFirst(text: string): string {
  const match = WITH_FIELDS.exec(text);
  return match === null ? text : `the ${match[2]} of all ${match[1]}`;
}

/** A field is a noun: what still has a verb or a condition in it was not understood. */
function isPlain(question: Question): boolean {
  if (question.kind === "count") return true;
  return question.fields.every(
    (field) =>
      field.split(" ").length <= 4 &&
      !/\b(?:when|how|why|where|who|which|what|with|without|under|over|than|that|if|should|i|you|me|out|best|good)\b/i.test(
        field,
      ),
  );
}

const VERIFY = /^(?:verify|check|confirm|ensure|make sure|see)\s+(?:that|whether|if)?\s*(.+)$/i;
const CHECKED =
  /^(.+?)\s+(?:is|are|stays?|remains?)\s+(not\s+)?(checked|ticked|selected|enabled|on|unchecked|unticked|disabled|off)$/i;

/** "check that the page says X": something to be seen, or the task has not been done. */
export const readExpectation: ClauseReader = (clause, { quotes }) => {
  const what = VERIFY.exec(clause)?.[1];
  if (what === undefined) return null;
  const said = quotes.reveal(clause);
  const state = /^(?:make sure|ensure)/i.test(clause) ? CHECKED.exec(what) : null;
  if (state !== null) {
    const on = /^(?:checked|ticked|selected|enabled|on)$/i.test(state[3] ?? "") !== (state[2] !== undefined);
    return [{ said, kind: "check", target: readTarget(state[1] ?? "", quotes), on }];
  }
  if (!/^\w+(?: sure)?\s+(?:that|whether|if)\b/i.test(clause)) return null;
  const quote = /[\uE000-\uF8FF]/.exec(what)?.[0];
  if (quote !== undefined) {
    return [{ said, kind: "await", text: quotes.reveal(quote), gone: /\b(?:no longer|not)\b/i.test(what) }];
  }
  const question = ask(quotes.reveal(what.replace(/^(.+?) (is|are) (.+)$/i, "$2 $1 $3")));
  return question === null ? null : [{ said, kind: "ask", question, isOnPage: false }];
};
