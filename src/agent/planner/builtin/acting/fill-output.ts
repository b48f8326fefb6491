import { fillSchema, type SchemaSources } from "../../../extraction/fill-schema.ts";
import type { PageSource } from "../../../extraction/merged-pages.ts";
import { findNextPage } from "../../../extraction/pagination.ts";
import type { Question } from "../../../extraction/questions/question.ts";
import type { Extraction } from "../../../grounding/claim.ts";
import type { Instruction } from "../instruction.ts";
import { type Course, Stop } from "./course.ts";
import type { Hand } from "./hand.ts";
import { turnPage } from "./records.ts";
import { demandWhole, isOfWholeList, reachWholeList } from "./whole-list.ts";

const MAX_PAGES = 50;
const PATIENCE_MS = 1500;
const ALL = /\b(?:all|every|each|whole|entire|complete)\b/i;

type Schema = Readonly<Record<string, unknown>>;

/** Data in the shape that the task asks for, from this page and, for a whole list, from the further pages of it. */
export function* fillOutput(schema: Schema, prompt: string, asked: Instruction | null, hand: Hand): Course {
  const question = asked?.kind === "ask" ? asked.question : null;
  const wish = question === null ? {} : toWish(question);
  const isWhole = !(asked?.kind === "ask" && asked.isOnPage) && (ALL.test(prompt) || isAboutAll(question));
  if (isWhole) yield* reachWholeList(question, hand);
  const pages: PageSource[] = [sourceOf(hand)];
  let extraction = fillSchema(schema, { ...wish, pages }, prompt).extraction;
  if (extraction.missing.length > 0 || extraction.data === null)
    extraction = yield* tryAgain(schema, wish, prompt, pages, hand);
  const takesAll = wish.limit == null || isSorted(question);
  while (isWhole && takesAll && pages.length < MAX_PAGES && hasNext(hand) && (yield* turnPage(hand))) {
    pages.push(sourceOf(hand));
  }
  if (pages.length > 1) extraction = fillSchema(schema, { ...wish, pages }, prompt).extraction;
  if (isWhole && question !== null) demandWhole(question, takesAll && hasNext(hand), pages, hand);
  take(extraction, hand);
}

function isSorted(question: Question | null): boolean {
  return question?.kind === "value" && question.subject.kind === "every" && question.subject.order !== null;
}

function isAboutAll(question: Question | null): boolean {
  return question !== null && isOfWholeList(question);
}

/** The page may still be filling up. */
function* tryAgain(
  schema: Schema,
  wish: Partial<SchemaSources>,
  prompt: string,
  pages: PageSource[],
  hand: Hand,
): Course<Extraction> {
  yield* hand.pause(PATIENCE_MS);
  yield* hand.act([{ action: "look", input: {} }], "Wait for the page to show what is asked for.");
  pages.splice(0, pages.length, sourceOf(hand));
  return fillSchema(schema, { ...wish, pages }, prompt).extraction;
}

function toWish(question: Question): Partial<SchemaSources> {
  if (question.kind === "count") return { filter: question.filter };
  const { subject } = question;
  return subject.kind === "every" ? { filter: subject.filter, limit: subject.limit, subject } : { subject };
}

function take(extraction: Extraction, hand: Hand): void {
  const [first] = extraction.missing;
  if (extraction.data === null) {
    const reason = first?.reason ?? "The page shows nothing of that form.";
    throw new Stop(
      "output_schema_mismatch",
      "NOTHING_EXTRACTED",
      `The data for output_schema was not found. ${reason}`,
    );
  }
  hand.extraction = extraction;
  hand.answers.push(extraction.coverage);
}

function hasNext({ observation }: Hand): boolean {
  return findNextPage(observation.root, observation.url) !== null;
}

function sourceOf({ observation }: Hand): PageSource {
  return { root: observation.root, url: observation.url };
}
