import { startsWithVerb } from "../english/verbs.ts";
import type { Instruction } from "../instruction.ts";
import type { ClauseReader, ReadingContext } from "./clause-reader.ts";
import { placeWithin, readTarget } from "./target.ts";

const TOOL = /^(?:use|using|with|via|in|on)\s+(.+?)(?:\s+(?:in order )?to\s+|,\s*)(.+)$/i;
const PLACE =
  /^(?:for|in|on|under|within|inside|next to|at|from|beside|below)\s+(?:the\s+(?:user|person|row|section|product|item|entry|post|order|contact)\s+)?(.+?),\s*(.+)$/i;
const WHEN = /^(?:once|when|after|as soon as)\s+[^,]+,\s*(.+)$/i;
const PURPOSE_FIRST = /^(?:in order )?to\s+[^,]+,\s*(.+)$/i;
const BY_DOING =
  /^.+?\s+by\s+(clicking|pressing|tapping|hitting|choosing|selecting|entering|typing|opening|using)\s+(.+)$/i;
const EXPLORING =
  /^(?:expand|open|navigate|go|browse|look|search|switch|click|scroll|flip|cycle)\b(.*?),?\s+(?:in order )?to\s+(?:find|locate|reach)\s+(?:and\s+)?(.+)$/i;
const FIND_AND = /^(?:find|locate|look for) and ((?:click|press|tap|open|select|choose|pick|hit)\b.+)$/i;
const EXPLORE_ONLY = /^(?:navigate|browse|go|look|click|switch|flip)\s+(?:through|between|around)\s+(?:the\s+)?.+$/i;

/** Clauses with another one inside: "use X to type Y", "for the user Jo, click Z", "close it by clicking the x". */
export const readNested: ClauseReader = (clause, context) => {
  return (
    readExploring(clause, context) ??
    readTool(clause, context) ??
    readPlace(clause, context) ??
    readByDoing(clause, context)
  );
};

function readExploring(clause: string, context: ReadingContext): readonly Instruction[] | null {
  const goal = EXPLORING.exec(clause)?.[2] ?? FIND_AND.exec(clause)?.[1];
  if (goal !== undefined) {
    const inner = context.read(startsWithVerb(goal) ? goal : `click ${goal}`);
    return (
      inner?.map((instruction) => (instruction.kind === "click" ? { ...instruction, explores: true } : instruction)) ??
      null
    );
  }
  return EXPLORE_ONLY.test(clause) ? [{ said: context.quotes.reveal(clause), kind: "nothing" }] : null;
}

function readTool(clause: string, context: ReadingContext): readonly Instruction[] | null {
  const match = TOOL.exec(clause);
  const [, tool = "", rest = ""] = match ?? [];
  if (match === null || !startsWithVerb(rest)) return null;
  const inner = context.read(rest);
  const first = inner?.[0];
  if (inner === null || first === undefined) return null;
  if (first.kind === "set" && first.target === null)
    return [{ ...first, target: readTarget(tool, context.quotes) }, ...inner.slice(1)];
  if (first.kind === "choose" && first.from === null)
    return [{ ...first, from: readTarget(tool, context.quotes) }, ...inner.slice(1)];
  if (first.kind === "search" || first.kind === "sort") return inner;
  return null;
}

function readPlace(clause: string, context: ReadingContext): readonly Instruction[] | null {
  const plain = WHEN.exec(clause)?.[1] ?? PURPOSE_FIRST.exec(clause)?.[1];
  if (plain !== undefined) return context.read(plain);
  const match = PLACE.exec(clause);
  const [, place = "", rest = ""] = match ?? [];
  if (match === null || !startsWithVerb(rest)) return null;
  const where = context.quotes.reveal(place).replace(/^the\s+/i, "");
  return context.read(rest)?.map((instruction) => within(instruction, where)) ?? null;
}

function within(instruction: Instruction, place: string): Instruction {
  if (instruction.kind === "click" || instruction.kind === "check" || instruction.kind === "open") {
    return { ...instruction, target: placeWithin(instruction.target, place) };
  }
  if (instruction.kind === "set" && instruction.target !== null) {
    return { ...instruction, target: placeWithin(instruction.target, place) };
  }
  return instruction;
}

const DOING: Record<string, string> = {
  clicking: "click",
  pressing: "press",
  tapping: "tap",
  hitting: "hit",
  choosing: "choose",
  selecting: "select",
  entering: "enter",
  typing: "type",
  opening: "open",
  using: "click",
};

function readByDoing(clause: string, context: ReadingContext): readonly Instruction[] | null {
  const match = BY_DOING.exec(clause);
  const verb = DOING[match?.[1]?.toLowerCase() ?? ""];
  return verb === undefined ? null : context.read(`${verb} ${match?.[2] ?? ""}`);
}
