import { takeOrdinal } from "../english/ordinals.ts";
import type { ClauseReader } from "./clause-reader.ts";
import { holdsClause, readTarget } from "./target.ts";

export const readHover: ClauseReader = (clause, { quotes }) => {
  const what = /^(?:hover|move the mouse|point)(?:\s+(?:the )?mouse)?\s+(?:over|on|onto|above|to|at)\s+(.+)$/i.exec(
    clause,
  )?.[1];
  return what === undefined || holdsClause(what)
    ? null
    : [{ said: quotes.reveal(clause), kind: "hover", target: readTarget(what, quotes) }];
};

export const readFocus: ClauseReader = (clause, { quotes }) => {
  const what = /^(?:focus|put the (?:cursor|focus)|set the focus)\s+(?:into|in|onto|on|to|inside)?\s*(.+)$/i.exec(
    clause,
  )?.[1];
  return what === undefined || holdsClause(what)
    ? null
    : [{ said: quotes.reveal(clause), kind: "focus", target: readTarget(what, quotes) }];
};

const DRAG = /^(?:drag(?: and drop)?|move)\s+(.+?)\s+(?:to|onto|into|on to|over|on|in)\s+(.+)$/i;

export const readDrag: ClauseReader = (clause, { quotes }) => {
  const match = DRAG.exec(clause);
  if (match === null || !/^drag/i.test(clause)) return null;
  const [, what = "", to = ""] = match;
  if (
    /\b(?:all|everything|every)\b|\bposition\b/i.test(`${what} ${to}`) ||
    /^(?:the )?(?:top|bottom|cent(?:er|re)|left|right|middle)\b/i.test(to) ||
    /\bso that\b/i.test(clause)
  )
    return null;
  return [{ said: quotes.reveal(clause), kind: "drag", target: readTarget(what, quotes), to: readTarget(to, quotes) }];
};

const COPY =
  /^copy\s+(?:the\s+)?(?:(?:text|value|content|contents)\s+(?:from|in|of|inside)\s+)?(.+?)(?:\s+(?:to|into)\s+(.+))?$/i;
const PART = /^(?:find|copy|get|take|read|locate|note)\s+(?:the\s+)?(.+?\s)?(word|line)\s+(?:of|in|from)\s+(.+)$/i;

/** "copy the text from the 1st text area", "find the 2nd word in the paragraph". */
export const readCopy: ClauseReader = (clause, { quotes }) => {
  const said = quotes.reveal(clause);
  const part = PART.exec(clause);
  const ordinal = takeOrdinal(`${part?.[1] ?? ""} x`)?.ordinal;
  if (part !== null && ordinal !== undefined) {
    const unit = part[2]?.toLowerCase() === "line" ? "line" : "word";
    return [{ said, kind: "copy", from: readTarget(part[3] ?? "", quotes), part: { unit, ordinal } }];
  }
  const copy = COPY.exec(clause);
  if (copy === null) return null;
  const from = readTarget(copy[1] ?? "", quotes);
  const into = copy[2];
  const first = { said, kind: "copy" as const, from, part: null };
  if (into === undefined) return [first];
  return [first, { said, kind: "set", target: readTarget(into, quotes), value: { from: "memory" }, all: false }];
};

export const readClear: ClauseReader = (clause, { quotes }) => {
  const what =
    /^(?:clear|erase|empty|delete the (?:text|contents?) (?:of|in|from))\s+(?:out\s+)?(.+)$/i.exec(clause)?.[1] ??
    /^leave\s+(.+?)\s+(?:empty|blank)$/i.exec(clause)?.[1];
  if (what === undefined || /\b(?:cart|basket|bag|trolley)\b/i.test(what)) return null;
  return [{ said: quotes.reveal(clause), kind: "clear", target: readTarget(what, quotes) }];
};

const SIGN_IN = /^(?:sign|log)[- ]?in(?:to)?\b\s*(.*)$/i;
const USER =
  /(?:\b(?:as|with|using)\s+)?(?:(?:the\s+)?(?:user(?:\s?name)?|e-?mail(?: address)?|account|login)\s*(?:is|:|=|of)?\s*)(\S+)|\b(?:as|with|using)\s+(\S+)/i;
const PASSWORD = /\b(?:the\s+)?password\s*(?:is|:|=|of)?\s*(\S+)|\S+\s*\/\s*(\S+)$/i;

/** "log in as jo@example.com with password x". Without both it is a link or a button to press. */
export const readSignIn: ClauseReader = (clause, { quotes }) => {
  if (/^(?:sign|log)[- ]?(?:out|off)\b/i.test(clause)) return [{ said: "sign out", kind: "sign_out" }];
  const rest = SIGN_IN.exec(clause)?.[1];
  if (rest === undefined) return null;
  const password = PASSWORD.exec(rest);
  const user = USER.exec(rest.replace(PASSWORD, ""));
  const name = quotes.reveal(user?.[1] ?? user?.[2] ?? "").replace(/[,;]+$/, "");
  const word = quotes.reveal(password?.[1] ?? password?.[2] ?? "").replace(/[,;]+$/, "");
  if (name === "" || word === "") return null;
  return [{ said: `sign in as ${name}`, kind: "sign_in", user: name, password: word }];
};

export const readFind: ClauseReader = (clause, { quotes }) => {
  const what = /^(?:find|locate|look for)\s+(.+)$/i.exec(clause)?.[1];
  if (
    what === undefined ||
    holdsClause(what) ||
    /\b(?:how|what|whether|which|cheapest|greatest|most|least|best|good|nice|suitable|cheap|nearby|something|someone)\b|^(?:out|and)\b/i.test(
      what,
    )
  )
    return null;
  return [{ said: quotes.reveal(clause), kind: "find", target: readTarget(stripRecordWord(what), quotes) }];
};

/** "the email by Jo", "the product named X": what counts is the name. */
function stripRecordWord(text: string): string {
  return text.replace(
    /^(?:the|an?)\s+(?:email|message|post|product|item|row|entry|contact|order|article|user|person|result)\s+(?:by|from|of|named|called|for|with)\s+/i,
    "",
  );
}
