import type { Fact } from "../../../extraction/fact.ts";
import type { PageSource } from "../../../extraction/page-source.ts";
import { answerQuestion } from "../../../extraction/questions/answer-question.ts";
import type { Answer, Question } from "../../../extraction/questions/question.ts";
import type { Course } from "./course.ts";
import { findCode } from "./find-code.ts";
import { growList } from "./grow-list.ts";
import type { Hand } from "./hand.ts";
import { turnPage } from "./records.ts";
import { speaksOf } from "./speaks-of.ts";

const MAX_PAGES = 50;
const PATIENCE_MS = 1500;

/** Finds the answer on the page, and where it depends on a whole list, on the further pages of it. */
export function* answer(question: Question, isOnPage: boolean, said: string, hand: Hand): Course {
  if (isOfWholeList(question) && !isOnPage && (yield* growList(hand)) === "shifting") {
    throw hand.stop(
      "PARTIAL_LIST",
      "The page never shows the whole list at once, so nothing can be said about all of it.",
    );
  }
  const sources: PageSource[] = [sourceOf(hand)];
  let found = answerQuestion(question, sources);
  if (found.kind === "missing") found = yield* askAgain(question, found, sources, hand);
  while (found.kind === "found" && found.isPartial && !isOnPage && sources.length < MAX_PAGES) {
    if (!(yield* turnPage(hand))) break;
    sources.push(sourceOf(hand));
    found = answerQuestion(question, sources);
  }
  const isAbout = found.kind !== "found" || speaksOf(question, found.text, hand);
  takeAnswer(
    isAbout ? found : { kind: "missing", reason: "The page has lists, but none of what is asked for." },
    said,
    hand,
  );
}

/** How many, which is the most, every one: true only of all there are. */
function isOfWholeList(question: Question): boolean {
  return (
    question.kind === "count" ||
    question.subject.kind === "extreme" ||
    (question.subject.kind === "every" && question.subject.limit === null)
  );
}

/** Answers may come late, and a question without a subject may be about what was mentioned last. */
function* askAgain(question: Question, first: Answer, sources: PageSource[], hand: Hand): Course<Answer> {
  if (question.kind === "value" && question.subject.kind === "page" && hand.focus !== null) {
    const about = answerQuestion({ ...question, subject: { kind: "named", name: hand.focus } }, sources);
    if (about.kind === "found") return about;
  }
  const said = findInSentence(question, hand);
  if (said !== null) return said;
  yield* hand.pause(PATIENCE_MS);
  yield* hand.act([{ action: "look", input: {} }], "Wait for the page to show the answer.");
  sources.splice(0, sources.length, sourceOf(hand));
  const second = answerQuestion(question, sources);
  return second.kind === "missing" ? (findInSentence(question, hand) ?? first) : second;
}

function findInSentence(question: Question, hand: Hand): Answer | null {
  const isOfPage = question.kind === "value" && question.subject.kind === "page" && question.fields.length === 1;
  const field = isOfPage ? (question.fields[0] ?? "") : "";
  const fact = isOfPage ? (findHeading(field, hand) ?? findCode(field, hand.scene)) : null;
  return fact === null ? null : { kind: "found", facts: [fact], text: String(fact.value), isPartial: false };
}

/** "the heading", "the title of the page". */
function findHeading(field: string, { scene, observation }: Hand): Fact | null {
  if (!/^(?:main |page )?(?:heading|title|headline)(?: of (?:the|this) page)?$/i.test(field)) return null;
  const headings = scene.spots.filter(({ node }) => node.role === "heading");
  const main = headings.find(({ node }) => node.states.level === 1) ?? headings[0];
  if (main === undefined) return null;
  const text = scene.textAt(main);
  return { label: field, value: text, quote: text, url: observation.url };
}

function takeAnswer(found: Answer, said: string, hand: Hand): void {
  if (found.kind === "missing")
    throw hand.stop("ANSWER_NOT_FOUND", `No answer to "${said}" was found. ${found.reason}`);
  if (found.kind === "ambiguous") {
    const values = [...new Set(found.candidates.map(({ value }) => String(value)))].slice(0, 5);
    throw hand.stop("AMBIGUOUS", `"${said}" has several answers on the page: ${values.join("; ")}.`);
  }
  hand.facts.push(...found.facts);
  hand.answers.push(found.isPartial ? `${found.text} (only a part of the list was read)` : found.text);
  const [first] = found.facts;
  if (found.facts.length === 1 && first !== undefined) hand.copied = String(first.value);
}

function sourceOf({ observation }: Hand): PageSource {
  return { root: observation.root, url: observation.url };
}
