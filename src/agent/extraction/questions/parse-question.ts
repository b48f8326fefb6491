import { parseRowFilter } from "../row-filter.ts";
import { parseNarrowed, parseSubject, parseSuperlative, trimSubject } from "./parse-subject.ts";
import type { Question, Subject } from "./question.ts";

const LEAD =
  /^(?:(?:please|then|and|also|now|can you|could you|would you|i (?:want|need|would like)(?: you)? to(?: know)?|tell me|let me know|find out|find|get|give me|read(?: out)?|return|report|look up|extract|note|show me|show|list|answer|say|determine|check)\s*[:,]?\s+)+/i;
const COUNT =
  /^(?:how many|(?:what is |what's )?(?:the )?(?:total )?(?:number|count) of)\s+(?<noun>.+?)(?:\s+(?:are there|is there|were there|there are|there is|there were|i have|we have|it has|are|were|have been|do i have|have i|does it have|do we have|exist|can you see|did i (?:place|make|order))(?<rest>\s.*)?)?$/i;
const HOW_MUCH = /^how much (?:is|are|does|do|did|was)\s+(?<name>.+?)(?:\s+cost)?$/i;
const WHEN =
  /^when (?:is|are|was|were|does|do|did|will|has|have)\s+(?<subject>.+?)\s+(?:be\s+|been\s+)?(?<verb>arriv\w*|deliver\w*|plac\w*|order\w*|due|shipp?\w*|sent|creat\w*|publish\w*|updat\w*|start\w*|begin\w*|end\w*|clos\w*|open\w*|expir\w*|paid|happen\w*|releas\w*|post\w*)$/i;
const WHICH = /^(?:which|what) (?<noun>[\p{L}][\p{L} -]*?) (?:is|has|have|costs?|was|are) (?<superlative>.+)$/iu;
const IS_IT = /^(?:is|are) (?<name>.+?) (?:currently )?(?:in stock|available|out of stock|sold out)$/i;
const ASK = /^(?:what(?: is| are| was| were|'s|’s)|which (?:is|are)|who (?:is|are|was)|where (?:is|are))\s+/i;
const OF = /^(?<fields>.+?)\s+(?:of|for|from)\s+(?<subject>.+)$/i;
const POSSESSIVE = /^(?<subject>.+?)(?:'s|’s)\s+(?<fields>[\p{L} ]+)$/iu;
const VERB = /\b(?:do|does|did|is|are|was|were|will|would|can|could|should|has|have|had)\b/i;
/** A question of another kind. */
const OTHER =
  /^(?:how|which|why|when|who|whose|whom|where|what|is|are|was|were|do|does|did|can|could|will|would|should|has|have)\b/i;
const MAX_FIELD_WORDS = 6;
const MAX_LENGTH = 300;

/** Null for what is no question that records or labelled values can answer. */
export function parseQuestion(text: string): Question | null {
  const words = text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[?.!]+$/, "")
    .replace(LEAD, "")
    .trim();
  if (words === "" || words.length > MAX_LENGTH) return null;
  return (
    parseCount(words) ??
    parseHowMuch(words) ??
    parseWhen(words) ??
    parseWhich(words) ??
    parseIsIt(words) ??
    parseValue(words)
  );
}

function parseCount(words: string): Question | null {
  const { noun, rest } = COUNT.exec(words)?.groups ?? {};
  if (noun === undefined) return null;
  const narrowed = parseNarrowed(`${noun} ${rest ?? ""}`);
  const condition = trimSubject(`x ${rest ?? ""}`).replace(/^x ?/, "");
  if (narrowed?.filter === null && condition !== "") {
    const filter = parseRowFilter(condition);
    return filter === null ? null : { kind: "count", noun: trimSubject(noun), filter };
  }
  // More words than a noun has: something in them narrows the count, and was not understood.
  if (narrowed === null || narrowed.noun.split(" ").length > 3 || VERB.test(narrowed.noun)) return null;
  return { kind: "count", noun: narrowed.noun, filter: narrowed.filter };
}

function parseHowMuch(words: string): Question | null {
  const name = HOW_MUCH.exec(words)?.groups?.["name"];
  return name === undefined ? null : { kind: "value", fields: ["price"], subject: parseSubject(name) };
}

function parseWhen(words: string): Question | null {
  const { subject, verb } = WHEN.exec(words)?.groups ?? {};
  return subject === undefined || verb === undefined
    ? null
    : { kind: "value", fields: [verb], subject: parseSubject(subject) };
}

/** "which product is the cheapest", "which order has the highest total". */
function parseWhich(words: string): Question | null {
  const { noun, superlative } = WHICH.exec(words)?.groups ?? {};
  if (noun === undefined || superlative === undefined) return null;
  const extreme = parseSuperlative(trimSubject(superlative));
  if (extreme !== null) return { kind: "value", fields: ["name"], subject: { kind: "extreme", noun, ...extreme } };
  const narrowed = parseNarrowed(`${noun} that are ${superlative}`);
  if (narrowed === null || narrowed.filter === null) return null;
  return { kind: "value", fields: ["name"], subject: { kind: "every", ...narrowed, limit: null, order: null } };
}

function parseIsIt(words: string): Question | null {
  const name = IS_IT.exec(words)?.groups?.["name"];
  return name === undefined ? null : { kind: "value", fields: ["availability"], subject: parseSubject(name) };
}

/** "the name and price of the first result", "the Brindle Kettle's price", "the order number", "the cheapest product". */
function parseValue(words: string): Question | null {
  const asked = words.replace(ASK, "");
  if (OTHER.test(asked)) return null;
  const { fields, subject } = (OF.exec(asked) ?? POSSESSIVE.exec(asked))?.groups ?? {};
  if (fields !== undefined && subject !== undefined && !hasSuperlative(fields) && !isWholeList(asked)) {
    return { kind: "value", fields: splitFields(fields), subject: parseSubject(subject) };
  }
  const whole = parseSubject(asked);
  if (whole.kind === "extreme" && whole.noun === "") return { kind: "value", fields: [whole.by], subject: whole };
  if (whole.kind === "extreme" || whole.kind === "position") return { kind: "value", fields: ["name"], subject: whole };
  if (whole.kind === "every" && (whole.filter !== null || whole.limit !== null || isWholeList(words))) {
    return { kind: "value", fields: [], subject: whole };
  }
  const page: Subject = { kind: "page" };
  const named = splitFields(trimSubject(asked));
  const areLabels =
    named.length > 0 && named.every((field) => field.split(" ").length <= MAX_FIELD_WORDS && !VERB.test(field));
  return areLabels ? { kind: "value", fields: named, subject: page } : null;
}

function isWholeList(words: string): boolean {
  return /^(?:all|every|each)\b/i.test(words);
}

function hasSuperlative(fields: string): boolean {
  return parseSuperlative(trimSubject(fields)) !== null;
}

function splitFields(fields: string): string[] {
  return fields
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+/i)
    .map(trimSubject)
    .filter(Boolean);
}
