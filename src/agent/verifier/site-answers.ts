import { type CapturedPage, contains } from "../grounding/captured-pages.ts";
import { findDates } from "../grounding/dates.ts";
import { quotedIn, withoutQuotedText } from "../grounding/english-words.ts";
import { DONE, findConfirmation, findFailure } from "../grounding/failure-words.ts";
import { isForeignProse, isForeignTask } from "../grounding/prose.ts";
import { findReferences, hasReference } from "../grounding/references.ts";
import { toPhrase } from "../grounding/similarity.ts";
import { type Case, labelOf } from "./case.ts";
import { isTelling } from "./check-kept.ts";
import { findEntriesBefore, isSentBy } from "./commit-entries.ts";
import { findKnown, findShown, isPlain, type Line, listAlerts, listNewLines, readPlain } from "./commit-lines.ts";
import { toPageLines } from "./page-lines.ts";
import { isLookup, type Submission } from "./sent-entries.ts";

interface Answering {
  /** The words of the task and of the button. */
  readonly asked: ReadonlySet<string>;
  /** Numbers in the task. */
  readonly numbers: ReadonlySet<string>;
  /** Whether other lines of the page have other references: then it is a list of them. */
  readonly hasOneReference: boolean;
}

/**
 * Whether what came with the commit says that it was done, or a page shows in words what was sent. A page about something else
 * says many things that sound like it: old orders, accepted cards, names of the task.
 */
export function isAnswered(commit: Submission, context: Case): boolean {
  const known = findKnown(commit, context);
  const shown = findShown(commit, context);
  if (showsSentWords(commit, known, context)) return true;
  const prompt = withoutQuotedText(context.task.prompt);
  const label = labelOf(commit.call);
  const lines = [
    ...shown.flatMap(({ url, root }) => listNewLines({ url, root }, commit, known)),
    ...listAlerts(commit, context),
  ];
  const texts = shown.flatMap(({ root }) => toPageLines(root).map(({ text }) => text));
  if (isForeignTask(`${prompt}\n${label}`) || isForeignProse(texts)) return isAnsweredInOtherLanguage(lines);
  const references = new Set(
    lines.filter(({ place }) => place !== "heading").flatMap(({ text }) => findReferences(text)),
  );
  const answering: Answering = {
    asked: toPhrase(`${context.task.prompt} ${label}`).stems,
    numbers: new Set(prompt.match(/\d+/g)),
    hasOneReference: references.size === 1,
  };
  return lines.some((line) => confirms(line, answering));
}

/** A line anywhere with a text that was entered or is to be written, and that no page had before. */
function showsSentWords(commit: Submission, known: readonly CapturedPage[], context: Case): boolean {
  const { task, steps, captured, live, freshPages } = context;
  const until = commit.seen?.observationNumber ?? 0;
  const later = captured.list().filter(({ observationNumber }) => observationNumber > until);
  const roots = [commit.after ?? live.root, live.root, ...later.map(({ root }) => root)];
  const { stems } = toPhrase(task.prompt);
  const lines = [...roots, ...freshPages.flatMap(({ page }) => page?.root ?? [])]
    .flatMap((root) => toPageLines(root).map(({ text }) => text))
    .filter((text) => isPlain(text) && findFailure(text, stems) === null);
  const isIn = (text: string, pages: readonly CapturedPage[]) =>
    pages.some(({ root }) => contains(readPlain(root), text));
  const entered = findEntriesBefore(commit, context).filter((entry) => {
    if (!isTelling(entry.value) || isLookup(entry, context) || !isSentBy(commit, entry, context)) return false;
    // A preview may show it while it is written.
    const seen = steps.find(({ step }) => step === entry.step)?.seen?.observationNumber ?? 0;
    const untyped = known.filter(({ observationNumber }) => observationNumber <= seen);
    return !isIn(entry.value, untyped);
  });
  const quoted = quotedIn(task.prompt).filter((text) => isTelling(text) && !isIn(text, known));
  const sent = [...entered.map(({ value }) => value), ...quoted];
  return sent.some((each) => lines.some((text) => contains(text, each)));
}

/** How sites say in other languages that something was not done. */
const FOREIGN_FAILURE =
  /(?<!\p{L})(?:nicht|fehler|fehlgeschlagen|leider|ungültig|erreur|échec|échoué|impossible|n['’](?:a|ont|est) pas|invalide|no se (?:ha|pudo|puede)|falló|inválid[oa]|errore|non (?:è|sono) stat|impossibile|niet|mislukt|misslyckades|inte|não|falhou)(?!\p{L})/iu;

/** Any new line, if none that stands out says that it failed. "Bitte antworten Sie nicht auf diese E-Mail" may stand below. */
function isAnsweredInOtherLanguage(lines: readonly Line[]): boolean {
  const own = lines.filter(({ place }) => place !== "around");
  const failing = own.filter(({ text }) => FOREIGN_FAILURE.test(text));
  return failing.length < own.length && failing.every(({ place }) => place === "text" || place === "record");
}

/** What sites tell every visitor. */
const NOTICE =
  /\b(?:cookies?|privacy|terms|polic(?:y|ies)|consent|(?:thank you|thanks) for (?:visiting|choosing|shopping|stopping|reading|using|being|your (?:interest|visit)))\b/i;

function confirms(line: Line, answering: Answering): boolean {
  const { text, place, isOnKnownPage, isOnOwnPage } = line;
  const { asked } = answering;
  if (place === "around" || /\?\s*$/.test(text) || NOTICE.test(text) || findFailure(text, asked) !== null) return false;
  if (!isOnKnownPage && place !== "message") return confirmsOnOtherPage(line, answering);
  if (findConfirmation(text, asked) !== null || hasReference(text)) return true;
  return (isOnOwnPage || place !== "record") && countShared(text, asked) >= MIN_SHARED;
}

/** So many words of the task make a line about it. */
const MIN_SHARED = 2;

function countShared(text: string, asked: ReadonlySet<string>): number {
  return [...toPhrase(text).stems].filter((stem) => asked.has(stem)).length;
}

const TO_USER = /\byours?\b|\byou\b/i;
const ABOUT_USER = /^(?:\S+ ){0,2}you(?: (?:are|will)|['’](?:re|ll))\b/i;
const BY_SITE = /\b(?:we|our)\b/i;
/** True of anything at any time, and so no answer. */
const GENERAL = /\b(?:all|any|every|each|most|always|only|usually|within|by \p{L}+)\b/iu;
/** What becomes of things later: "Order 4710, delivered on 3 May" is about an old one. */
const LATER = /\b(?:delivered|completed|processed|shipped|cancell?ed|refunded|returned)\b/i;
const MAX_WORDS = 10;
/** A page with nothing else for a title answers what was asked: "Deleted". */
const ONLY_DONE = /^\p{L}+ed(?: successfully)?[.!]?$/iu;
/** "Your order number is T-1", also where the page has the numbers of other things. */
const OWN_REFERENCE = /\byour (?:\p{L}+ ){0,2}(?:number|reference|code|id)\b/iu;
const EARLIER = /\b(?:last|latest|previous|earlier|recent|first|next)\b/i;

/** Of a page that the run had not seen before, only what speaks to the one who did it, or names what was done. */
function confirmsOnOtherPage(line: Line, answering: Answering): boolean {
  const { text, place, isTitle } = line;
  const { asked, numbers } = answering;
  const later = LATER.exec(text)?.[0];
  if (later !== undefined && countShared(later, asked) === 0) return false;
  const found = findConfirmation(text, asked);
  const isAbout = countShared(text.replace(new RegExp(DONE, "gi"), " "), asked) > 0;
  if (isTitle && ONLY_DONE.test(text) && countShared(text, asked) > 0) return true;
  if (found !== null && isAnswerOf(line, found, isAbout)) return true;
  if (found !== null && place !== "record" && isAbout && isShortAnswer(text, numbers)) return true;
  if (isListedInItsPlace(line, asked)) return true;
  if (place !== "record" && ABOUT_USER.test(text) && countShared(text, asked) >= MIN_SHARED) return true;
  return showsReference(line, isAbout, answering);
}

/** The site's reference for what was done. A page may have the references of other things. */
function showsReference({ text, place, isTitle }: Line, isAbout: boolean, { hasOneReference }: Answering): boolean {
  if (findReferences(text).length === 0) return false;
  if (place === "text" && isAbout && OWN_REFERENCE.test(text) && !EARLIER.test(text)) return true;
  return isTitle || (place === "text" && hasOneReference && /\b(?:your|confirmation|reference)\b/i.test(text));
}

/** Whether a phrase that confirms something speaks to the one who did it. "We have received many awards" is about something else. */
function isAnswerOf({ text, place }: Line, found: string, isAbout: boolean): boolean {
  // Other users also say "Thank you for this spoon".
  if (/^(?:thank|congrat)/.test(found)) return isAbout || place === "heading" || text.split(/\s+/).length <= MAX_THANKS;
  if (place === "heading" && text.endsWith("!")) return true;
  if (place !== "record" && isAbout && /^(?:has|have|was|were)\b/.test(found)) return true;
  const isState = /^(?:is|are) (?!now\b)/.test(found);
  return TO_USER.test(text) ? isAbout || !isState : isAbout && BY_SITE.test(text);
}

const MAX_THANKS = 3;

/** A page with a longer title is not only about where the thing was to go. */
const MAX_TITLE = 2;

/**
 * "Blue mug €12.00" on the page "Your cart", for "Add the blue mug to the cart": where it was to go, and not its own page. An entry
 * with a date or a number may be of another time.
 */
function isListedInItsPlace({ text, place, titles }: Line, asked: ReadonlySet<string>): boolean {
  if (place === "heading" || findReferences(text).length > 0 || findDates(text).length > 0) return false;
  const own = toPhrase(text).stems;
  const isPlace = titles.some((title) => {
    const stems = [...toPhrase(title).stems];
    return stems.length <= MAX_TITLE && stems.some((stem) => asked.has(stem) && !own.has(stem));
  });
  return isPlace && countShared(text, asked) >= MIN_SHARED;
}

/** What a database console says of the statement itself: how many rows it has changed, and how long that took. */
const OF_STATEMENT =
  /\b\d+ (?:rows?|records?|documents?) affected\b|\([^()]*\b\d+(?:\.\d+)? ?(?:ms|s|sec|seconds?)\)/gi;

/** "Order 4711 placed", with no other numbers than those of the task. */
function isShortAnswer(text: string, numbers: ReadonlySet<string>): boolean {
  const own = new Set([...findReferences(text).flatMap((reference) => reference.match(/\d+/g) ?? []), ...numbers]);
  const isExplained = (text.replace(OF_STATEMENT, "").match(/\d+/g) ?? []).every((number) => own.has(number));
  return isExplained && !GENERAL.test(text) && text.split(/\s+/).length <= MAX_WORDS;
}
