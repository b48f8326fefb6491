import type { Quotes } from "../english/quotes.ts";
import type { Instruction } from "../instruction.ts";

export interface ReadingContext {
  readonly quotes: Quotes;
  /** The clause with what was taken off as filler: "on this page" means nothing to a click, and much to a count. */
  readonly whole: string;
  /** Reads a clause that stands inside another one. */
  readonly read: (clause: string) => readonly Instruction[] | null;
}

/** Understands one way of saying things; null when the clause says something else. */
export type ClauseReader = (clause: string, context: ReadingContext) => readonly Instruction[] | null;
