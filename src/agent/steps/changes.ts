import { type Observation, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { isWrite } from "../../browser/session/network-record.ts";
import type { ActionReport } from "../actions/action.ts";
import { saysLoading } from "../extraction/unread-signs.ts";
import { contains, isSamePage } from "../grounding/captured-pages.ts";
import { DONE, findNotDone } from "../grounding/failure-words.ts";
import { findFieldValues, isSameValue, readText } from "../grounding/page-text.ts";
import { findRows } from "./areas.ts";
import { shorten } from "./names.ts";
import { type Effect, type Running, type StepsRun, Stop } from "./run.ts";
import { linesOf } from "./sentences.ts";

/** Applications that load a part of themselves show it up to half a second after everything has arrived. */
const EFFECT_DELAYS_MS = [300, 300, 400];

/**
 * Waits until the page shows what the last action did, before anything is read. Applications take away what was there first, and
 * show the new content later: in between, the page gives values for something else. A document that was loaded is complete,
 * unless it says that it is still loading.
 */
export function* awaitEffect(run: StepsRun): Running {
  const before = run.takeUnseen();
  const known = before === null ? null : new Set(listTexts(before.root));
  let texts = listTexts(run.observation.root);
  const isShown = () => !isLoading(run.observation.root) && (known === null || texts.some((text) => !known.has(text)));
  if (known === null && (isShown() || run.hasAwaited())) return;
  for (const delayMs of EFFECT_DELAYS_MS) {
    yield* run.pause(delayMs);
    yield* run.look("Wait until the page has shown everything.");
    const last = texts.join("\n");
    texts = listTexts(run.observation.root);
    if (texts.join("\n") === last && isShown()) return;
  }
  // A part of the page that says so for ever is not waited for again.
  run.noteAwaited();
}

/** Whether the page, or a part of it, says that more is to come. */
function isLoading(root: ObservedNode): boolean {
  return walk(root).some(({ node }) => saysLoading(node));
}

const MAX_NOTICE = 300;
const COMPLAINT =
  /\b(?:error|invalid|incorrect|wrong|failed|failure|required|must|cannot|can't|could not|couldn't|unable|not (?:valid|allowed|available|found|accepted|recognised|recognized|possible|permitted)|problem|denied|(?:do|does|did) not (?:match|exist|work)|(?:doesn|don|didn)['’]t (?:match|exist|work)|refused|rejected|declined|expired|missing|too (?:short|long|many|large)|already (?:exists|taken|used)|please (?:enter|fill|choose|select|provide|check|correct))\b/i;
const NOTICES = new Set(["alert", "status", "alertdialog"]);

/** Notes what an action changed, and stops where the page says that it did not work. */
export function noteEffect({ what: doing, before, report }: Effect, run: StepsRun): void {
  const what = doing.replace(/^[\w-]+/, "$&ed");
  const writes = report.events.requests.filter((request) => request.isFirstParty && isWrite(request));
  const refused = writes.find(({ status }) => status !== null && status >= 400);
  const notices = findNewNotices(before.root, run.observation.root);
  const isRefused = refused !== undefined && (refused.status ?? 0) < 500;
  const complaint =
    notices.find((text) => COMPLAINT.test(text)) ??
    (writes.length > 0 ? findRefusal(before.root, run.observation.root) : undefined) ??
    (isRefused ? (notices[0] ?? findComplaint(before.root, run.observation.root)) : undefined);
  if (complaint !== undefined && writes.length > 0) {
    throw new Stop(
      "goal_unreachable",
      "SITE_REFUSED",
      `${what}, and the site refused it: "${shorten(complaint, MAX_NOTICE)}"`,
    );
  }
  if (refused !== undefined) {
    run.note(`${what}; the site responded with ${refused.status}`, false);
    return;
  }
  run.note(describeEffect(what, report));
  if (writes.length === 0) return;
  if (sends(report)) claimSaved(what, before, run);
  const [notice] = notices;
  if (notice !== undefined) run.notice = notice;
}

/** A field that reports each key, or a list that loads its options, has not saved the form. */
function sends({ call: { action, input } }: ActionReport): boolean {
  return !["fill", "edit", "select", "check", "hover"].includes(action) || input["submit"] === true;
}

const REFUSAL = new RegExp(
  `^(?:error|sorry|failed|oops|unfortunately)\\b|\\b(?:was|were|has|have)(?: not|n['’]t)(?: been)? ${DONE}\\b`,
  "i",
);

/** A new line that says that the site has not done it, also with status 200. What a field held is no message of the site. */
function findRefusal(before: ObservedNode, after: ObservedNode): string | undefined {
  const known = [textWithoutFields(before), ...[...walk(before)].map(({ node }) => node.value ?? "")].join(" ");
  return [...walk(after)]
    .filter(({ node }) => node.children.length === 0 && node.field === null)
    .map(({ node }) => node.name.trim())
    .find(
      (line) =>
        line.length <= MAX_NOTICE && (REFUSAL.test(line) || findNotDone(line) !== null) && !contains(known, line),
    );
}

const MIN_VALUE = 2;
const SAVED = ", and is saved";

/**
 * After something was sent: a field that the page still shows with its new value is claimed as saved, and a value that the
 * next page shows is claimed as its text. The verifier looks for both on fresh pages.
 */
function claimSaved(what: string, before: Observation, run: StepsRun): void {
  const { observation } = run;
  const [textBefore, textAfter] = [before, observation].map(({ root }) => textWithoutFields(root));
  for (const [index, condition] of run.conditions.entries()) {
    if (condition.kind !== "field" || !isSamePage(condition.url, before.url)) continue;
    const { label, place, value } = condition;
    const about = condition.about.replace(SAVED, "");
    const isShown = findFieldValues(observation, label, place).some((shown) => isSameValue(shown, value));
    if (isShown) {
      run.conditions[index] = { ...condition, url: observation.url, isSaved: true, about: `${about}${SAVED}` };
      continue;
    }
    // A preview shows the form once more; what is sent after it decides.
    if (condition.isSaved) run.conditions[index] = { ...condition, isSaved: false, about };
    if (
      value.length >= MIN_VALUE &&
      contains(textAfter ?? "", value) &&
      !contains(textBefore ?? "", value) &&
      isKept(value, before, observation)
    ) {
      run.conditions.push({
        kind: "text",
        url: observation.url,
        text: value,
        about: `After "${what}", the page shows "${shorten(value)}"`,
      });
    }
  }
}

/** A page or a row of its own can be loaded again. "Thank you, Jo" above the same form is only a message. */
function isKept(value: string, before: Observation, after: Observation): boolean {
  return !isSamePage(before.url, after.url) || findRows(after, value).length > 0;
}

function textWithoutFields(root: ObservedNode): string {
  return listTexts(root).join(" ");
}

/** The texts of a page without what is entered in its fields. */
function listTexts(root: ObservedNode): string[] {
  const texts: string[] = [];
  for (const { node, ancestors } of walk(root)) {
    const isInField = node.field !== null || ancestors.some(({ field }) => field !== null);
    if (!isInField && node.children.length === 0) texts.push(node.name);
  }
  return texts;
}

function describeEffect(what: string, { urlBefore, urlAfter, added, removed, events }: ActionReport): string {
  if (urlBefore !== urlAfter) return `${what}, which led to ${urlAfter.split(/[?#]/)[0]}`;
  const hasChanged =
    added.length + removed.length + events.requests.length + events.dialogs.length + events.downloads.length > 0;
  return hasChanged ? what : `${what}; nothing visible changed`;
}

function findNewNotices(before: ObservedNode, after: ObservedNode): string[] {
  const known = new Set(listNotices(before));
  return listNotices(after).filter((text) => !known.has(text));
}

/** A new line of the page that says that something did not work. */
function findComplaint(before: ObservedNode, after: ObservedNode): string | undefined {
  const known = new Set(linesOf(before));
  return linesOf(after).find((line) => !known.has(line) && line.length <= MAX_NOTICE && COMPLAINT.test(line));
}

function listNotices(root: ObservedNode): string[] {
  return [...walk(root)]
    .filter(({ node }) => NOTICES.has(node.role))
    .map(({ node }) => readText(node).trim())
    .filter(Boolean);
}

/** A click that opens a tab means to be followed there. */
export function* followTab({ events }: ActionReport, run: StepsRun): Running {
  const opened = events.openedTabs.at(-1);
  const tab = run.observation.tabs.find(({ id }) => id === opened);
  if (tab === undefined || tab.isCurrent) return;
  yield* run.act(
    [{ action: "tab", input: { id: tab.id } }],
    `Continue in the tab "${shorten(tab.title || tab.url)}" that opened.`,
  );
}
