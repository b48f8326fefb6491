import type { ActionReport } from "../../../actions/action-report.ts";
import type { Scene, Spot } from "../matching/scene.ts";
import { type Course, Stop } from "./course.ts";
import { shorten } from "./describe-spot.ts";
import type { Hand } from "./hand.ts";

/** A click that opens a tab means to be followed there. */
export function* followTabs({ events }: ActionReport, hand: Hand): Course {
  const opened = events.openedTabs.at(-1);
  const tab = hand.observation.tabs.find(({ id }) => id === opened);
  if (tab === undefined || tab.isCurrent) return;
  yield* hand.act(
    [{ action: "tab", input: { id: tab.id } }],
    `Go on in the tab "${shorten(tab.title || tab.url)}" that opened.`,
  );
}

const COMPLAINT =
  /\b(?:error|invalid|incorrect|wrong|failed|failure|required|must|cannot|can't|could not|couldn't|unable|not (?:valid|allowed|available|found|accepted|recognised|recognized|possible)|problem|denied|declined|expired|missing|too (?:short|long|many|large)|already (?:exists|taken|used)|please (?:enter|fill|choose|select|provide|check|correct))\b/i;

/** Tells what a step has changed, and stops where the page says that it did not work. */
export function noteEffect(what: string, before: Scene, report: ActionReport, hand: Hand): void {
  const { observation } = hand;
  const complaint = findNew(before, hand.scene, isAlert).find((text) => COMPLAINT.test(text));
  if (complaint !== undefined && hasSent(report)) {
    throw new Stop("goal_unreachable", "SITE_REFUSED", `${what}, and the page says: "${shorten(complaint)}"`);
  }
  const failed = report.events.requests.find(
    ({ isFirstParty, method, status }) => isFirstParty && method !== "GET" && status !== null && status >= 400,
  );
  hand.note(
    failed === undefined ? describeChange(what, report) : `${what}; the site answered ${failed.status}`,
    failed === undefined,
  );
  if (failed !== undefined || !hasSent(report)) return;
  for (const text of findNew(before, hand.scene, isAnnouncement).slice(0, 2)) {
    hand.conditions.push({
      kind: "text",
      url: observation.url,
      text,
      about: `${what}, and the page says "${shorten(text)}"`,
    });
  }
}

function describeChange(what: string, { urlBefore, urlAfter, added, removed, events }: ActionReport): string {
  if (urlBefore !== urlAfter) return `${what}, which led to ${urlAfter.split(/[?#]/)[0]}`;
  const hasChanged =
    added.length > 0 ||
    removed.length > 0 ||
    events.requests.length > 0 ||
    events.dialogs.length > 0 ||
    events.downloads.length > 0;
  return hasChanged ? what : `${what}; nothing visible changed`;
}

function hasSent({ events }: ActionReport): boolean {
  return events.requests.some(({ method }) => method !== "GET" && method !== "HEAD" && method !== "OPTIONS");
}

function isAlert({ node }: Spot): boolean {
  return node.role === "alert" || node.role === "status" || node.role === "alertdialog";
}

function isAnnouncement(spot: Spot): boolean {
  return isAlert(spot) || (spot.node.role === "heading" && (spot.node.states.level ?? 1) === 1);
}

function findNew(before: Scene, after: Scene, is: (spot: Spot) => boolean): string[] {
  const known = new Set(before.spots.filter(is).map((spot) => before.textAt(spot)));
  const texts = after.spots.filter(is).map((spot) => after.textAt(spot));
  return texts.filter((text) => text !== "" && text.length <= 300 && !known.has(text));
}
