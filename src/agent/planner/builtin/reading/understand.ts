import { splitClauses } from "../english/clauses.ts";
import { stripLeadingFiller, stripTrailingFiller } from "../english/filler.ts";
import { hideQuotes, type Quotes } from "../english/quotes.ts";
import type { Instruction } from "../instruction.ts";
import type { ClauseReader, ReadingContext } from "./clause-reader.ts";
import { readCheck, readChoose, readCompletion } from "./read-choices.ts";
import { readClick, readDeed } from "./read-clicks.ts";
import { readDialog } from "./read-dialogs.ts";
import { readFill } from "./read-fill.ts";
import { readAdd, readFilter, readSearch, readSort, readVoucher } from "./read-lists.ts";
import { readClear, readCopy, readDrag, readFind, readFocus, readHover, readSignIn } from "./read-moves.ts";
import { readMenuPath, readNavigation, readOpen } from "./read-navigation.ts";
import { readNested } from "./read-nested.ts";
import { readExpand, readKey, readScroll, readWait } from "./read-page-parts.ts";
import { readExpectation, readQuestion } from "./read-questions.ts";

type Understanding =
  | { readonly kind: "understood"; readonly instructions: readonly Instruction[] }
  /** `clause` in the words of the task. */
  | { readonly kind: "not_understood"; readonly clause: string };

/** The order is the order of preference: particular ways of saying things before those that fit anything. */
const READERS: readonly ClauseReader[] = [
  readNested,
  readNavigation,
  readCompletion,
  readMenuPath,
  readKey,
  readWait,
  readScroll,
  readExpectation,
  readSearch,
  readSort,
  readFilter,
  readDialog,
  readSignIn,
  readAdd,
  readVoucher,
  readCopy,
  readFocus,
  readHover,
  readDrag,
  readClear,
  readExpand,
  readCheck,
  readChoose,
  readClick,
  readFill,
  readQuestion,
  readDeed,
  readFind,
  readOpen,
];

/** What a person says in one go, with quotations counted as one letter: beyond it the patterns would take too long. */
const MAX_CLAUSE_LENGTH = 1000;
const MAX_CLAUSES = 200;

/** Reads the whole task before anything is done: one clause that says nothing is enough to do none of it. */
export function understand(
  prompt: string,
  { hasOutput }: { hasOutput: boolean } = { hasOutput: false },
): Understanding {
  const { text, quotes } = hideQuotes(prompt);
  const instructions: Instruction[] = [];
  const clauses = splitClauses(text);
  if (clauses.length > MAX_CLAUSES) return { kind: "not_understood", clause: `${clauses.length} steps in one prompt` };
  for (const clause of clauses) {
    if (clause.length > MAX_CLAUSE_LENGTH) return { kind: "not_understood", clause: quotes.reveal(clause) };
    const read = readClause(clause, quotes) ?? (hasOutput && asksForData(clause) ? [] : null);
    if (read === null) return { kind: "not_understood", clause: quotes.reveal(clause) };
    instructions.push(...read);
  }
  return { kind: "understood", instructions };
}

const DATA =
  /^(?:get|give|extract|return|list|collect|gather|find|fetch|read|report|provide|output|respond|answer|scrape|tell|show|what|which|how|include|use|fill|for each|with)\b/i;

/** Where a schema says what is wanted, words about the data only repeat it. */
function asksForData(clause: string): boolean {
  return DATA.test(stripLeadingFiller(clause));
}

function readClause(clause: string, quotes: Quotes): readonly Instruction[] | null {
  const context: ReadingContext = { quotes, whole: clause, read: (inner) => readClause(inner, quotes) };
  const text = stripTrailingFiller(stripLeadingFiller(clause));
  for (const read of READERS) {
    const instructions = read(text, context);
    if (instructions !== null) return instructions;
  }
  return null;
}
