import { stripLeadingFiller } from "./filler.ts";
import { repeatVerb } from "./repeat-verb.ts";
import { startsWithVerb } from "./verbs.ts";

/** Cuts English into clauses, each of which says one thing. Quotations must have been hidden before. */
export function splitClauses(text: string): string[] {
  return splitSentences(text)
    .flatMap(splitSentence)
    .map((clause) => clause.trim().replace(/^[,;:\s]+|[,;\s]+$/g, ""))
    .filter((clause) => /[\p{L}\p{N}\uE000-\uF8FF]/u.test(clause));
}

/** A full stop ends a sentence only before space and something that begins one: not in 3.50, example.com or "e.g. this". */
const SENTENCE_END =
  /(?<=[.!?])(?<!\b(?:e\.g|i\.e|etc|no|mr|mrs|ms|dr|st|vs)\.)\s+(?=[\p{Lu}\p{N}\uE000-\uF8FF"'])|\s*[;\n\r]+\s*/u;
const LIST_MARK = /^\s*(?:step\s+)?(?:\(?\d{1,2}[.):]|[-*•–])\s+/i;

function splitSentences(text: string): string[] {
  return text
    .replace(/(^|\s)(?:step\s+)?\(?(\d{1,2})[.)]\s+(?=[\p{Lu}])/gu, "$1\n")
    .split(SENTENCE_END)
    .map((sentence) => sentence.replace(LIST_MARK, ""));
}

/** "click Export, then CSV": after "then" the verb is the one before, unless there is another. */
function splitSentence(sentence: string): string[] {
  const clauses: string[] = [];
  for (const part of splitAtThen(sentence)) {
    const [first = "", ...more] = splitAtCommasAndAnds(part);
    clauses.push(repeatVerb(clauses.at(-1) ?? "", first), ...more);
  }
  return clauses;
}

const THEN =
  /\s*(?:,|;|\.)?\s*(?:\band\s+)?\b(?:then|after that|afterwards|and after that|and finally|followed by)\b[,:]?\s+/i;

function splitAtThen(sentence: string): string[] {
  return sentence.split(THEN).filter((part) => part.trim() !== "");
}

const JOINT = /\s*,\s*(?:and\s+|but\s+)?|\s+(?:and|&)\s+/gi;

/**
 * A comma or "and" ends a clause only when a verb follows: "select red, green and blue" is one clause, "type Jo and press
 * Save" is two. A verb with a capital letter inside a sentence belongs to a label, as in "click Save and Close".
 */
function splitAtCommasAndAnds(sentence: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const joint of sentence.matchAll(JOINT)) {
    const end = joint.index + joint[0].length;
    const isComma = joint[0].includes(",");
    if (isComma && isAnswer(sentence.slice(start, joint.index), sentence.slice(end))) continue;
    if (!beginsClause(sentence.slice(end), isComma) || !isComplete(sentence.slice(start, joint.index))) continue;
    parts.push(sentence.slice(start, joint.index));
    start = end;
  }
  parts.push(sentence.slice(start));
  return parts;
}

/** "click Yes, delete": the label of a button goes on, unless the rest says by itself what to do on the page. */
function isAnswer(part: string, rest: string): boolean {
  return (
    /^(?:click|press|tap|hit|push|choose|select|pick)(?:\s+on)?\s+(?:yes|no)$/i.test(stripLeadingFiller(part)) &&
    !/^(?:click|press|tap|hit|push|type|enter|fill|select|choose|pick|tick|check|uncheck|go|open|wait|search|sort|scroll|tell|report|list|what|which|how)\b/i.test(
      stripLeadingFiller(rest),
    )
  );
}

function beginsClause(rest: string, afterComma: boolean): boolean {
  const text = stripLeadingFiller(rest);
  if (/^\p{Lu}/u.test(text) && !/^\p{Lu}{2}/u.test(text) && text === rest.trim()) return false;
  // "the code and count of all plants": nobody counts "of" something.
  if (/^(?:count|record|report|note|list|order|copy|return|answer|mark|sort|book)\s+of\b/i.test(text)) return false;
  if (startsWithVerb(text)) return !isNounLike(text, afterComma);
  return /^(?:what|which|how (?:many|much|long|old)|who|whether|when)\b/i.test(text) && /\s/.test(text);
}

/** Verbs that are nouns as often: at the very end, or before a word that a noun takes. */
const NOUN_LIKE =
  /^(?:search|filter|order|sort|list|set|report|record|return|count|check|mark|copy|place|book|update|edit|delete|close|submit|send|save|open|note|look|drop|cancel|continue|confirm|apply|show|answer|add|remove|press|type|log|sign|input|change|move|read|create|leave|keep|make|use|hit|tap|turn|switch|buy|load|complete|empty|clear|focus|reply|forward|upload|download|stop|visit|replace|find)\b\s*(?:(?:button|link|field|box|page|tab|form|icon|menu|number|date|bar|list|item|option|name|address|status)\b|$)/i;
const SELF_SUFFICIENT =
  /^(?:submit|search|log ?in|sign in|check ?out|save|continue|close|confirm|send|apply|stop|cancel)[\s.!]*$/i;

function isNounLike(text: string, afterComma: boolean): boolean {
  if (SELF_SUFFICIENT.test(text)) return afterComma && !/^(?:submit|check ?out|log ?in|sign in)/i.test(text);
  return NOUN_LIKE.test(text);
}

/** "find and click", "to find and click": the first verb has nothing of its own yet. */
function isComplete(part: string): boolean {
  const text = stripLeadingFiller(part);
  if (
    /^(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|lastly|next|now|then|also|afterwards?|after that|please|so|ok(?:ay)?)$/i.test(
      text,
    )
  )
    return false;
  return !/(?:^|\bto )(?:find|locate|go|try|scroll|look)$/i.test(text) && !startsContext(text);
}

/** "For the user Jo, click …": what stands before the comma says where, and is nothing to do. */
function startsContext(text: string): boolean {
  return (
    /^(?:for|in|on|under|within|inside|from|at|using|with|next to|once|when|after|if)\s/i.test(text) &&
    !startsWithVerb(text)
  );
}
