import type { RecordSet } from "../record-set.ts";
import { type Choice, chooseSet } from "./choose-set.ts";
import type { Question } from "./question.ts";

/** The list that a question is about. */
export function chooseList(question: Question, sets: readonly RecordSet[]): Choice {
  if (question.kind === "count") return chooseSet(sets, question.noun, []);
  const { subject, fields } = question;
  const by = subject.kind === "extreme" && subject.by !== "date" ? [subject.by] : [];
  return chooseSet(sets, nounOf(question) ?? "", [...fields, ...by]);
}

/** What the entries of the list are called; null when the question is about no list. */
export function nounOf(question: Question): string | null {
  if (question.kind === "count") return question.noun;
  const { subject } = question;
  return subject.kind === "page" || subject.kind === "named" ? null : subject.noun;
}
