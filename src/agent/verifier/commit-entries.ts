import type { NetworkRecord } from "../../browser/session/network-record.ts";
import type { StepCause } from "../actions/side-effects.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import { type Case, type Entry, findAllEntries } from "./case.ts";
import { carries, findSubmissions, type Submission } from "./sent-entries.ts";

/** What was entered on the page of a step by then. */
export function findEntriesBefore({ step, url }: StepCause, { steps }: Pick<Case, "steps">): Entry[] {
  return findAllEntries(steps).filter((entry) => entry.step <= step && isSamePage(entry.url, url));
}

export function carriesEntry({ sent, resourceType }: NetworkRecord, entry: Entry): "yes" | "no" | "unknown" {
  return resourceType === "websocket" ? "unknown" : carries(sent, entry, new Set());
}

/** Whether a commit has sent an entry, as far as that can be told: it carries it, or nothing before has sent it. */
export function isSentBy(commit: Submission, entry: Entry, context: Case): boolean {
  if (commit.accepted.some((write) => carriesEntry(write, entry) === "yes")) return true;
  const isEarlier = ({ step }: StepCause) => step >= entry.step && step < commit.step;
  const isSent = context.writes.some(
    ({ write, cause }) => cause !== null && isEarlier(cause) && carriesEntry(write, entry) === "yes",
  );
  return !isSent && !findSubmissions(context).some(isEarlier);
}
