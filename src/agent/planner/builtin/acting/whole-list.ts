import type { PageSource } from "../../../extraction/merged-pages.ts";
import { findPartialList } from "../../../extraction/partial-list.ts";
import { findShortfall } from "../../../extraction/questions/find-shortfall.ts";
import type { Question } from "../../../extraction/questions/question.ts";
import type { Course, Stop } from "./course.ts";
import { growList } from "./grow-list.ts";
import type { Hand } from "./hand.ts";

/** From the front page to a category and from there to its list: further away it is a walk and no longer a way. */
const MAX_WAYS = 2;

/** How many, which is the most, every one: true only of all there are. */
export function isOfWholeList(question: Question): boolean {
  return (
    question.kind === "count" ||
    question.subject.kind === "extreme" ||
    (question.subject.kind === "every" && (question.subject.limit === null || question.subject.order !== null))
  );
}

/** Leaves a selection for the list it was taken from, and lets a list that grows grow. Stops where neither can be done. */
export function* reachWholeList(question: Question | null, hand: Hand): Course {
  for (let ways = 0; question !== null; ways++) {
    const { root, url } = hand.observation;
    const excerpt = findPartialList(question, { page: { root, url }, isStart: hand.conditions.length === 0 });
    if (excerpt === null) break;
    const { way, sign } = excerpt;
    if (way === null || ways === MAX_WAYS) throw partial(sign, hand);
    const call = { action: "click", input: { ref: way.ref, label: way.name } };
    const { failure } = yield* hand.act([call], `Open the whole list with "${way.name}".`);
    if (failure !== null) throw partial(sign, hand);
  }
  if ((yield* growList(hand)) === "shifting") throw partial("The page never shows the whole list at once.", hand);
}

/** Stops unless everything was read that the pages say there is. */
export function demandWhole(question: Question, isPartial: boolean, pages: readonly PageSource[], hand: Hand): void {
  if (isPartial) throw partial(`After ${pages.length} pages the list goes on.`, hand);
  const shortfall = isOfWholeList(question) ? findShortfall(question, pages) : null;
  if (shortfall !== null) throw partial(shortfall, hand);
}

function partial(sign: string, hand: Hand): Stop {
  return hand.stop("PARTIAL_LIST", `Nothing can be said about the whole list. ${sign}`);
}
