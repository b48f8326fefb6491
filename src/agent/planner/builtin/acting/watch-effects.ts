import type { ActionReport } from "../../../actions/action.ts";
import { isInside, type Scene, type Spot } from "../matching/scene.ts";
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

const MAX_NOTICE = 300;
/** More than these are another page, and not a word about what was entered. */
const MAX_NEW_LINES = 3;
const COMPLAINT =
  /\b(?:error|invalid|incorrect|wrong|failed|failure|required|must|cannot|can't|could not|couldn't|unable|not (?:valid|allowed|available|found|accepted|recognised|recognized|possible)|problem|denied|(?:do|does|did) not (?:match|exist|work)|(?:doesn|don|didn)['’]t (?:match|exist|work)|refused|rejected|declined|expired|missing|too (?:short|long|many|large)|already (?:exists|taken|used)|please (?:enter|fill|choose|select|provide|check|correct))\b/i;

/** Tells what a step has changed, and stops where the page says that it did not work. */
export function noteEffect(what: string, before: Scene, report: ActionReport, hand: Hand): void {
  const { observation } = hand;
  const failed = report.events.requests.find(
    ({ isFirstParty, method, status }) => isFirstParty && method !== "GET" && status !== null && status >= 400,
  );
  const isRefused = failed?.status != null && failed.status < 500;
  const complaint = findComplaint(before, hand.scene, isRefused);
  if (complaint !== null && hasSent(report)) {
    throw new Stop("goal_unreachable", "SITE_REFUSED", `${what}, and the site refused it: "${complaint}"`);
  }
  hand.note(
    failed === undefined ? describeChange(what, report) : `${what}; the site answered ${failed.status}`,
    failed === undefined,
  );
  if (failed !== undefined || !hasSent(report)) return;
  hand.notice = findNew(before, hand.scene, isAlert).at(0) ?? hand.notice;
  for (const text of findNew(before, hand.scene, isAnnouncement).slice(0, 2)) {
    hand.conditions.push({
      kind: "text",
      url: observation.url,
      text,
      about: `${what}, and the page says "${shorten(text)}"`,
    });
  }
}

/** What the page says against it, whole. After an answer of 4xx any notice is one, and a plain line may be. */
function findComplaint(before: Scene, after: Scene, isRefused: boolean): string | null {
  const notices = findNewSpots(before, after, isAlert).map((spot) => readNotice(spot, after));
  const complaint = notices.find((text) => COMPLAINT.test(text)) ?? (isRefused ? findAnyNotice() : undefined);
  return complaint?.slice(0, MAX_NOTICE) ?? null;

  function findAnyNotice(): string | undefined {
    const lines = findNew(before, after, ({ node }) => node.role === "text" || node.role === "paragraph");
    const few = new Set(lines).size <= MAX_NEW_LINES ? [...new Set(lines)].join(" ") : undefined;
    return notices[0] ?? lines.find((text) => COMPLAINT.test(text)) ?? (few || undefined);
  }
}

/** A heading, lines and list items of a notice, each as a sentence. */
function readNotice(notice: Spot, { spots, textAt }: Scene): string {
  const lines = spots
    .filter((spot) => spot.node.children.length === 0 && isInside(spot, notice))
    .map((spot) => textAt(spot).trim())
    .filter((text) => text !== "");
  if (lines.length < 2) return textAt(notice).trim();
  return lines.map((line, index) => (index === lines.length - 1 || /\W$/.test(line) ? line : `${line}.`)).join(" ");
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
  return findNewSpots(before, after, is)
    .map((spot) => after.textAt(spot))
    .filter((text) => text.length <= MAX_NOTICE);
}

function findNewSpots(before: Scene, after: Scene, is: (spot: Spot) => boolean): Spot[] {
  const known = new Set(before.spots.filter(is).map((spot) => before.textAt(spot)));
  return after.spots.filter(is).filter((spot) => after.textAt(spot) !== "" && !known.has(after.textAt(spot)));
}
