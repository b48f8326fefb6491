import type { Check } from "../../errand.ts";
import type { Verification } from "../verify.ts";
import { checkAnswer } from "./check-answer.ts";
import { checkBounds } from "./check-bounds.ts";
import { checkDownloads } from "./check-downloads.ts";
import { checkEntries } from "./check-entries.ts";
import { checkFactValues } from "./check-fact-values.ts";
import { checkNotices } from "./check-notices.ts";
import { checkOrder } from "./check-order.ts";
import { checkRecords } from "./check-records.ts";
import { checkRepeats } from "./check-repeats.ts";
import { checkStaleness } from "./check-staleness.ts";
import { checkUnasked } from "./check-unasked.ts";
import { checkUntouched } from "./check-untouched.ts";
import { checkWholeList } from "./check-whole-list.ts";

const CHECKS = [
  checkFactValues,
  checkAnswer,
  checkRecords,
  checkOrder,
  checkBounds,
  checkWholeList,
  checkEntries,
  checkDownloads,
  checkRepeats,
  checkNotices,
  checkStaleness,
  checkUntouched,
  checkUnasked,
];

/**
 * Holds a claim against the words of the task, as far as code can: for claims that a model has made in words of its own.
 * Each check speaks up only where something is clearly wrong; what is right is for the judge to say.
 */
export function holdToTask({ claim, task, session, live, looks, captured, ledger, begin }: Verification): Check[] {
  const writes = ledger.attribute(session.writes());
  const events = session.since(begin);
  const held = { claim, task, prompt: task.prompt, live, looks, captured, writes, steps: ledger.steps, events };
  return CHECKS.flatMap((check) => check(held));
}
