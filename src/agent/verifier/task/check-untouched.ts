import { isSamePage } from "../../captured-pages.ts";
import type { Check } from "../../errand.ts";
import { findEntries } from "../find-entries.ts";
import { findLook } from "../second-look.ts";
import { asksForChange } from "./asks-for-change.ts";
import type { Case } from "./case.ts";

/** A change was asked for and tried, but nothing was sent, and a fresh browser finds the page as it was at first. */
export function checkUntouched({ task, claim, steps, writes, live, looks, captured, events }: Case): Check[] {
  const tries = steps.filter(({ effect }) => effect === "mutate");
  const [first] = tries;
  if (!asksForChange(task.prompt) || writes.length > 0 || first === undefined || claim.extraction !== null) return [];
  if (events.requests.some(({ isFirstParty, startedAt }) => isFirstParty && startedAt >= first.at)) return [];
  const before = captured.list().find(({ url }) => isSamePage(url, live.url));
  const now = findLook(looks, live.url)?.page ?? null;
  if (before === undefined || now === null || before.text !== now.text) return [];
  // What was so already needs no change.
  const entries = findEntries(tries);
  const isAlready =
    entries.length === tries.length &&
    entries.every(({ url, label, value }) => captured.firstValueOf(url, label) === value);
  if (isAlready) return [];
  const evidence = "Nothing was sent, and a fresh browser shows the page as it was before.";
  return [{ about: "Something was changed", verdict: "contradicted", evidence }];
}
