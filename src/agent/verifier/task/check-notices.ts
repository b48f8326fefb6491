import { walk } from "../../../browser/observation/tree.ts";
import { isSamePage } from "../../captured-pages.ts";
import type { Check } from "../../errand.ts";
import { readText } from "../../extraction/records/read-text.ts";
import { toPageLines } from "../judge/page-lines.ts";
import type { Case } from "./case.ts";

const DONE =
  "(?:saved|added|placed|sent|updated|deleted|removed|booked|changed|accepted|processed|completed|created|submitted|cancell?ed)";
const FAILED = new RegExp(
  `^(?:#\\s*)?(?:error(?:[:!.]|$)|sorry[,!.:]|oops\\b|failed(?: to\\b|[:!.]|$)|unable to\\b|something went wrong)|\\b(?:could not|couldn['’]t|was not|wasn['’]t|were not|has not been|have not been|failed to)\\s+(?:be\\s+)?${DONE}\\b`,
  "i",
);
const ALARMING =
  /\b(?:error|invalid|failed|sold out|out of stock|declined|denied|rejected|expired|not allowed|try again)\b/i;
const MAX_LINE = 200;

/** A site that answers 200 and says in words that it did not do it has not done it. */
export function checkNotices({ live, captured, writes }: Case): Check[] {
  if (!writes.some(({ write, cause }) => write.isFirstParty && cause?.effect === "mutate")) return [];
  const alerts = [...walk(live.root)].filter(({ node }) => node.role === "alert").map(({ node }) => readText(node));
  const lines = toPageLines(live.root).filter((line) => line.length <= MAX_LINE);
  const notice =
    alerts.find((text) => ALARMING.test(text) || FAILED.test(text)) ?? lines.find((line) => FAILED.test(line));
  // What a page said before anything was sent is no answer.
  const [first, ...later] = captured.list().filter(({ url }) => isSamePage(url, live.url));
  const isOld = later.length > 0 && notice !== undefined && first?.text.includes(notice.replace(/^# /, "")) === true;
  if (notice === undefined || isOld) return [];
  const evidence = `After the change the page says: "${notice.slice(0, 160)}".`;
  return [{ about: "The site does not say that it failed", verdict: "contradicted", evidence }];
}
