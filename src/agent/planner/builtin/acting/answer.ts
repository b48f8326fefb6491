import type { PageSource } from "../../../extraction/merged-pages.ts";
import { answerQuestion } from "../../../extraction/questions/answer-question.ts";
import type { Answer, Question } from "../../../extraction/questions/question.ts";
import type { Fact } from "../../../grounding/claim.ts";
import type { Course } from "./course.ts";
import { findCode } from "./find-code.ts";
import { growList } from "./grow-list.ts";
import type { Hand } from "./hand.ts";
import { turnPage } from "./records.ts";
import { isAtPlace, speaksOf } from "./speaks-of.ts";
import { demandWhole, isOfWholeList, reachWholeList } from "./whole-list.ts";

const MAX_PAGES = 50;
/** To look for one thing by its name: far enough, and not through a whole archive. */
const MAX_PAGES_FOR_ONE = 20;
const PATIENCE_MS = 1500;

/** Finds the answer on the page, and where it depends on a whole list, on the further pages of it. */
export function* answer(question: Question, isOnPage: boolean, said: string, hand: Hand): Course {
  const isWhole = isOfWholeList(question) && !isOnPage;
  if (isWhole) yield* reachWholeList(question, hand);
  const sources: PageSource[] = [sourceOf(hand)];
  let found = answerQuestion(question, sources);
  if (found.kind === "missing") found = yield* askAgain(question, found, sources, hand);
  const maxPages = isWhole ? MAX_PAGES : MAX_PAGES_FOR_ONE;
  while (goesOn(found) && !isOnPage && sources.length < maxPages && (yield* turnPage(hand))) {
    sources.push(sourceOf(hand));
    found = answerQuestion(question, sources);
  }
  if (!isOnPage && found.kind === "found") demandWhole(question, found.isPartial, sources, hand);
  const isAbout = found.kind !== "found" || (speaksOf(question, found.text, hand) && isAtPlace(said, hand));
  takeAnswer(
    isAbout ? found : { kind: "missing", reason: "The page has lists, but none of what is asked for." },
    said,
    isOnPage,
    hand,
  );
}

function goesOn(found: Answer): boolean {
  return found.kind === "further" || (found.kind === "found" && found.isPartial);
}

/** Answers may come late, and a question without a subject may be about what was mentioned last. */
function* askAgain(question: Question, first: Answer, sources: PageSource[], hand: Hand): Course<Answer> {
  if (question.kind === "value" && question.subject.kind === "page" && hand.focus !== null) {
    const about = answerQuestion({ ...question, subject: { kind: "named", name: hand.focus } }, sources);
    if (about.kind === "found") return about;
  }
  const said = findInSentence(question, hand);
  if (said !== null) return said;
  if (question.kind === "value" && question.subject.kind === "named") {
    yield* growList(hand);
    sources.splice(0, sources.length, sourceOf(hand));
    const further = answerQuestion(question, sources);
    if (further.kind !== "missing") return further;
  }
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
  return fact === null
    ? null
    : { kind: "found", facts: [fact], text: String(fact.value), isPartial: false, scope: null };
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

function takeAnswer(found: Answer, said: string, isOnPage: boolean, hand: Hand): void {
  if (found.kind === "missing" || found.kind === "further")
    throw hand.stop("ANSWER_NOT_FOUND", `No answer to "${said}" was found. ${found.reason}`);
  if (found.kind === "ambiguous") {
    const values = [...new Set(found.candidates.map(({ value }) => String(value)))].slice(0, 5);
    throw hand.stop("AMBIGUOUS", `"${said}" has several answers on the page: ${values.join("; ")}.`);
  }
  hand.facts.push(...found.facts);
  hand.answers.push(found.text + describeScope(found, isOnPage));
  const [first] = found.facts;
  if (first !== undefined && (found.facts.length === 1 || found.scope !== null)) hand.copied = String(first.value);
}

/** What a superlative or an incomplete list holds for. */
function describeScope({ scope, isPartial }: Answer & { kind: "found" }, isOnPage: boolean): string {
  if (scope === null) return isPartial ? " (only what this page shows)" : "";
  const place = isOnPage ? "on this page" : scope.name === "" ? "listed" : `in "${scope.name}"`;
  return ` (among the ${scope.rows} ${place})`;
}

function sourceOf({ observation }: Hand): PageSource {
  return { root: observation.root, url: observation.url };
}
