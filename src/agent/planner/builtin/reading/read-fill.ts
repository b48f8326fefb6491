import { takeKindSuffix } from "../english/kinds.ts";
import { isQuotation } from "../english/quotes.ts";
import { startsWithVerb } from "../english/verbs.ts";
import type { Instruction, Value } from "../instruction.ts";
import type { ClauseReader, ReadingContext } from "./clause-reader.ts";
import { readPairs } from "./read-pairs.ts";
import { readValue, takeLetterCase } from "./read-values.ts";
import { isTangled, splitAssignments } from "./split-assignments.ts";
import { readTarget, type Target } from "./target.ts";

/** "type X into Y", "type X as Y and Z as W", "fill in Y with X", "set Y to X", "name: Jo, city: Oslo". */
export const readFill: ClauseReader = (clause, context) => {
  const letters = takeLetterCase(clause);
  const instructions =
    readForm(letters.rest, context) ??
    readAssignments(letters.rest, context) ??
    readTyping(letters.rest, context) ??
    readSetting(letters.rest, context);
  return instructions?.map((instruction) => withCase(instruction, letters.apply)) ?? null;
};

const FORM =
  /^(?:fill (?:in|out)|fill|complete)\s+(?:the |this |that )?(?:[\w -]*?\s)?(?:form|fields?|details|information)(?:\s+below)?\s*(?:with|using|as follows|as|by entering)?(?:\s+(?:the )?following(?: (?:details|values|information|data))?)?\s*[:,]?\s*(.+)$/i;
const TYPING = /^(?:type|enter|write|input|insert|paste|put|key)(?: in)?\s+(.+)$/i;
const ASSIGNING = /^(?:type|enter|write|input|insert|paste|put|key|fill|use|give)(?: in)?\s+(.+)$/i;
const FILL_WITH = /^(?:fill(?: in| out)?|complete|populate)\s+(.+?)\s+(?:with|as|using)\s+(.+)$/i;
const FILL_INTO = /^fill(?: in)?\s+(.+?)\s+(?:into|in|for)\s+(.+)$/i;
const SET_TO =
  /^(?:set|change|update|edit|replace|rename|adjust|switch|move|turn|modify|increase|decrease|raise|lower|reduce)\s+(.+?)\s+(?:to(?: be| say)?|with|as|=|into)\s+(.+)$/i;
const USE_AS = /^(?:use|give)\s+(.+?)\s+(?:as|for)\s+(.+)$/i;
const BARE_PAIR = /^(?:the )?([\p{L}][\p{L}\p{N} '/-]{0,40})\s*[:=]\s*(\S.*)$/u;

/** The strongest word first: "in" and "to" stand inside values more often than "into". */
const INTO = [/\s+(?:into|in to|inside)\s+/gi, /\s+in\s+/gi, /\s+as\s+/gi, /\s+(?:for|on|at)\s+/gi, /\s+to\s+/gi];

function readForm(clause: string, context: ReadingContext): Instruction[] | null {
  const form = FORM.exec(clause)?.[1];
  if (form !== undefined) return readPairs(form, context.quotes, true);
  const field = BARE_PAIR.exec(clause)?.[1];
  const isName = field !== undefined && !startsWithVerb(field) && field.trim().split(/\s+/).length <= 4;
  return isName ? readPairs(clause, context.quotes, true) : null;
}

/** "enter Jo as the name and 5 as the age". */
function readAssignments(clause: string, context: ReadingContext): Instruction[] | null {
  const rest = ASSIGNING.exec(clause)?.[1];
  const parts = rest === undefined || mustBeWorkedOut(rest) ? null : splitAssignments(rest);
  if (parts === null) return null;
  return parts.map(({ value, field }) =>
    makeSet(`${value} as ${field}`, field, readValue(value, context.quotes), context),
  );
}

function readTyping(clause: string, context: ReadingContext): Instruction[] | null {
  const rest = TYPING.exec(clause)?.[1];
  if (rest === undefined || mustBeWorkedOut(rest)) return null;
  const cut = cutAtField(rest);
  if (isTangled(cut?.value ?? rest)) return null;
  const isOpen = cut === null || isVague(cut.field);
  const pairs = isOpen ? readPairs(cut?.value ?? rest, context.quotes, false) : null;
  if (pairs !== null && (pairs.length > 1 || cut === null)) return pairs;
  if (cut === null) return [makeSet(clause, null, readValue(rest, context.quotes), context)];
  const named = readPairs(cut.value, context.quotes, false);
  const only = named?.length === 1 ? named[0] : undefined;
  // "enter the number 3 into the 2nd box": the word before the value says what it is, not where it goes.
  const value = only?.kind === "set" ? only.value : readValue(cut.value, context.quotes);
  return [makeSet(clause, cut.field, value, context)];
}

function readSetting(clause: string, context: ReadingContext): Instruction[] | null {
  const each = readEach(clause, context);
  if (each !== null) return each;
  const several = /^(?:set|change|update)\s+(.+)$/i.exec(clause)?.[1];
  const pairs = several === undefined ? null : readToPairs(several, context);
  if (pairs !== null) return pairs;
  const filled = FILL_WITH.exec(clause) ?? SET_TO.exec(clause);
  if (isTangled(filled?.[2] ?? "")) return null;
  if (filled !== null) return [makeSet(clause, filled[1] ?? "", readValue(filled[2] ?? "", context.quotes), context)];
  const into = FILL_INTO.exec(clause) ?? USE_AS.exec(clause);
  if (isTangled(into?.[1] ?? "")) return null;
  if (into !== null) return [makeSet(clause, into[2] ?? "", readValue(into[1] ?? "", context.quotes), context)];
  return null;
}

const EACH =
  /^set\s+(?:all\s+)?(?:the\s+)?(\w+s)\s+to\s+(?:the\s+(?:combination|values?|numbers?|sequence)\s+)?[[(]?\s*(-?[\d.]+(?:\s*(?:,|and)\s*-?[\d.]+)+)\s*[\])]?$/i;

/** "set the sliders to 3, 5 and 7": one value for each, in their order. */
function readEach(clause: string, { quotes }: ReadingContext): Instruction[] | null {
  const match = EACH.exec(clause);
  const kind = takeKindSuffix(match?.[1] ?? "");
  if (match === null || kind === null || kind.rest !== "") return null;
  const values = (match[2] ?? "").split(/\s*(?:,|and)\s*/).filter((value) => value !== "");
  return values.map((text, index) => ({
    said: `${quotes.reveal(clause)} (${index + 1}: ${text})`,
    kind: "set" as const,
    target: {
      said: `${kind.kind} ${index + 1}`,
      readings: [{ label: null, isQuoted: false, kind: kind.kind, ordinal: index + 1, within: null }],
    },
    value: { from: "task" as const, text },
    all: false,
  }));
}

/** "quantity to 2 and size to Large". */
function readToPairs(text: string, context: ReadingContext): Instruction[] | null {
  const parts = text.split(/\s*,\s*(?:and\s+)?|\s+and\s+/i);
  if (parts.length < 2) return null;
  const pairs = parts.map((part) => /^(.+?)\s+(?:to|=)\s+(.+)$/i.exec(part));
  if (pairs.some((pair) => pair === null)) return null;
  return pairs.map((pair) =>
    makeSet(pair?.[0] ?? "", pair?.[1] ?? "", readValue(pair?.[2] ?? "", context.quotes), context),
  );
}

/** "the total number of blocks", "your answer": what to type stands neither in the task nor on the page. */
function mustBeWorkedOut(rest: string): boolean {
  return /^(?:the (?:total|sum|number|amount|count|result|product|difference|average)\b.*\bof\b|(?:your|the (?:correct|right)) (?:answer|guess|solution)|a (?:random|valid)\b)/i.test(
    rest,
  );
}

/** Where the value ends and the field begins: after a quoted value at once, else at the last of the strongest words. */
function cutAtField(rest: string): { value: string; field: string } | null {
  for (const into of INTO) {
    const cuts = [...rest.matchAll(into)];
    const first = cuts.find((cut) => isQuotation(rest.slice(0, cut.index).trim().slice(-1)));
    const cut = first ?? cuts.at(-1);
    if (cut === undefined) continue;
    const field = rest.slice(cut.index + cut[0].length);
    if (isQuotation(rest.slice(cut.index).trim())) continue;
    return { value: rest.slice(0, cut.index), field };
  }
  return null;
}

/** "the text fields", "the form": no particular field. */
function isVague(field: string): boolean {
  return /^(?:the |their |its |these |those )?(?:respective |corresponding |appropriate |right |given )?(?:text |input |form )?(?:fields|boxes|inputs|textboxes|form|page|dialog|pop-?up)(?: below)?$/i.test(
    field.trim(),
  );
}

function makeSet(said: string, field: string | null, value: Value, { quotes }: ReadingContext): Instruction {
  const all = field !== null && /^(?:both|all|each|every)\b/i.test(field.trim());
  const plain = field?.trim().replace(/^(?:both|all|each|every)(?: of)?(?: the)?\s+/i, "") ?? null;
  const target: Target | null = plain === null ? null : readTarget(plain, quotes);
  return { said: quotes.reveal(said), kind: "set", target, value, all };
}

function withCase(instruction: Instruction, apply: (value: string) => string): Instruction {
  if (instruction.kind !== "set" || instruction.value.from !== "task") return instruction;
  return { ...instruction, value: { from: "task", text: apply(instruction.value.text) } };
}
