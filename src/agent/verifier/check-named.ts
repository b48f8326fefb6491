import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { foldVisible } from "../../browser/observation/visible-text.ts";
import type { StepCause } from "../actions/side-effects.ts";
import { contains, isSamePage } from "../grounding/captured-pages.ts";
import { asksForChange, parseNumberWord, withoutQuotedText } from "../grounding/english-words.ts";
import { toPhrase } from "../grounding/similarity.ts";
import { TaskSecrets } from "../task-secrets.ts";
import { isAccepted } from "./accepted-writes.ts";
import { type Case, findAllEntries, findUntouched, labelOf } from "./case.ts";
import type { Check } from "./check.ts";
import { toPageLines } from "./page-lines.ts";
import { isLookupLabel } from "./sent-entries.ts";

/** What the task names is what was entered, chosen and clicked: not another person, another item or another number. */
export function checkNamed(context: Case): Check[] {
  const { task, writes } = context;
  const sending = writes.flatMap(({ write, cause }) =>
    write.isFirstParty && isAccepted(write) && cause?.effect === "mutate" ? [cause] : [],
  );
  if (sending.length === 0 || !asksForChange(task.prompt)) return [];
  const fault =
    findUnused(context) ??
    findMistyped(context) ??
    findNotRenamed(context) ??
    findOtherTarget(sending, context) ??
    findOtherOption(context) ??
    findOtherNumber(context);
  return fault === null
    ? []
    : [{ about: "It was done with what the task names", verdict: "contradicted", evidence: fault }];
}

const E_MAIL = /[\w.+-]+@[\w-]+\.[\w.-]*\w/g;
/** All pairs, so that the text between two quotations is none. */
const QUOTED = /["“]([^"“”]*)["”]/g;
/** What is quoted after these need not be entered: it is a condition, or names what is there already. */
const BEFORE_CONDITION =
  /\b(?:if|unless|when|while|not|never|until|without|instead of|says?|called|named)\b[^."“”]{0,40}$/i;
const MAX_BEFORE_CHARS = 60;
const MIN_QUOTED_CHARS = 2;
const MAX_QUOTED_CHARS = 200;

function quotedToEnter(prompt: string): string[] {
  return [...prompt.matchAll(QUOTED)].flatMap(({ 1: text = "", index }) => {
    const before = prompt.slice(Math.max(0, index - MAX_BEFORE_CHARS), index);
    const isMeant = text.length >= MIN_QUOTED_CHARS && text.length <= MAX_QUOTED_CHARS;
    return isMeant && !BEFORE_CONDITION.test(before) ? [text] : [];
  });
}

const NEW_VALUE =
  /\b(?:[Cc]hange|[Rr]ename|[Uu]pdate|[Ss]et|[Ss]witch|[Cc]orrect)\b[^.]{0,60}?\bto ((?:[A-Z][\p{L}'’-]+|\d[\w.,:-]*\w)(?: [A-Z][\p{L}'’-]+)*)\s*(?=[.,;!]|$|\band\b)/gu;

/** A text or an address that the task gives, and that was never entered, clicked or shown. */
function findUnused({ task, steps, captured, freshPages }: Case): string | null {
  const secrets = new TaskSecrets(task.prompt);
  const given = [
    ...(task.prompt.match(E_MAIL) ?? []),
    ...quotedToEnter(task.prompt),
    ...[...withoutQuotedText(task.prompt).matchAll(NEW_VALUE)].map(([, text = ""]) => text),
    // Steps record a password only as dots.
  ].filter((text) => secrets.hide(text) === text);
  if (given.length === 0) return null;
  const pages = [...captured.list(), ...freshPages.flatMap(({ page }) => page ?? [])].map(({ text }) => fold(text));
  const used = [...steps.map(({ call }) => fold(Object.values(call.input).join(" "))), ...pages];
  const unused = given.find((text) => fold(text) !== "" && !used.some((each) => each.includes(fold(text))));
  return unused === undefined
    ? null
    : `The task says "${unused.slice(0, 80)}", and that was neither entered nor seen on a page.`;
}

const NEW_NAME =
  /\b(?:change|rename|update|set|correct)\b[^.]{0,60}?\bto (\p{L}[\p{L}\p{N} '’-]{4,80}?)(?=\s*(?:[.,;:!?]|$)|\s+(?:and|then|so|in|on|for|as|at|by|with|of)\b)/giu;
const MAX_EDITS = 2;

/** "Rename it to Garage journal", and what was entered is almost that. */
function findMistyped({ task, steps }: Case): string | null {
  const names = [...withoutQuotedText(task.prompt).matchAll(NEW_NAME)].map(([, name = ""]) => fold(name));
  const entered = findAllEntries(steps).filter(({ kind }) => kind === "text");
  for (const name of names) {
    if (entered.some(({ value }) => fold(value).includes(name))) continue;
    const almost = entered.find(({ value }) => isAlmost(fold(value), name));
    if (almost !== undefined)
      return `"${almost.value.slice(0, 60)}" was entered, and the task names it with other letters.`;
  }
  return null;
}

/** Whether the texts differ in one place only, by at most two characters. A longer ending is another form of the word. */
function isAlmost(text: string, name: string): boolean {
  if (text === name || text.startsWith(name) || name.startsWith(text)) return false;
  let start = 0;
  while (text[start] === name[start]) start += 1;
  let end = 0;
  while (end < Math.min(text.length, name.length) - start && text.at(-1 - end) === name.at(-1 - end)) end += 1;
  return Math.max(text.length, name.length) - start - end <= MAX_EDITS;
}

const RENAMES =
  /\b(?:rename|change|replace|correct)\b[^.]{0,60}?["“]([^"“”]{3,80})["”] (?:to|by|with|into) ["“]([^"“”]{3,80})["”]/gi;

/** 'Rename "A" to "B"': a page has a B now, and every A that it had. Something else was renamed. */
function findNotRenamed({ task, steps, captured, freshPages }: Case): string | null {
  const states = freshPages.flatMap(({ page, note }) => {
    const before = page === null ? undefined : findUntouched(page.url, { steps, captured });
    return page === null || note !== null || before === undefined ? [] : [{ before, now: page }];
  });
  for (const [, from = "", to = ""] of task.prompt.matchAll(RENAMES)) {
    // A line with both says what was done.
    const count = ({ root }: { root: ObservedNode }, name: string, other: string) =>
      toPageLines(root).filter(({ text }) => contains(text, name) && !contains(text, other)).length;
    const hasNew = states.some(
      ({ before, now }) => count(before, from, to) > 0 && count(now, to, from) > count(before, to, from),
    );
    const isLess = states.some(({ before, now }) => count(now, from, to) < count(before, from, to));
    if (hasNew && !isLess)
      return `"${to.slice(0, 60)}" is there, and "${from.slice(0, 60)}" is still there as well: something else was changed.`;
  }
  return null;
}

function fold(text: string): string {
  return foldVisible(text).replace(/[^\p{L}\p{N}]+/gu, "");
}

/** "Delete Draft" was clicked, and beside it is "Delete Budget", which the task names. */
function findOtherTarget(sending: readonly StepCause[], { task, captured }: Case): string | null {
  const asked = toPhrase(task.prompt).stems;
  for (const cause of sending) {
    const label = labelOf(cause.call);
    // "Show preview" changes nothing, whatever is beside it.
    if (isLookupLabel(label)) continue;
    // What the task does not name is taken out of the cart, and not what it names.
    if (/\b(?:cart|basket|bag|trolley|checkout)\b/i.test(cause.url) && firstWord(label) === "remove") continue;
    const states = [captured.before(cause.url, cause.seen) ?? [], captured.list()].flat();
    const page = states.find(({ url, root }) => isSamePage(url, cause.url) && findTargets(root).includes(label));
    const alike =
      page === undefined ? [] : findTargets(page.root).filter((other) => firstWord(other) === firstWord(label));
    const better = findBetter(label, alike, asked);
    if (better !== null) return `The run clicked "${label.slice(0, 60)}", and the task names "${better.slice(0, 60)}".`;
  }
  return null;
}

function findTargets(root: ObservedNode): string[] {
  return [...walk(root)].filter(({ node }) => node.ref !== null && node.name !== "").map(({ node }) => node.name);
}

function firstWord(label: string): string {
  return label.split(" ", 1)[0]?.toLowerCase() ?? "";
}

/** The only one of several names that the task has, where the one that was used has nothing of its own that the task has. */
function findBetter(used: string, all: readonly string[], asked: ReadonlySet<string>): string | null {
  const others = [...new Set(all)].filter((other) => other !== used);
  const own = toPhrase(used).stems;
  const [better, ...more] = others.filter((other) => {
    const apart = [...toPhrase(other).stems].filter((stem) => !own.has(stem));
    return apart.length > 0 && apart.every((stem) => asked.has(stem));
  });
  if (better === undefined || more.length > 0) return null;
  const theirs = toPhrase(better).stems;
  const apart = [...own].filter((stem) => !theirs.has(stem));
  return apart.length > 0 && !apart.some((stem) => asked.has(stem)) ? better : null;
}

/** An option was chosen, and the task names another one of the same list. */
function findOtherOption({ task, steps, captured }: Case): string | null {
  const asked = toPhrase(task.prompt).stems;
  for (const { kind, url, label, value } of findAllEntries(steps)) {
    if (kind !== "choice") continue;
    const options = findFields(url, label, captured).flatMap((field) =>
      [...walk(field)].filter(({ node }) => node.role === "option"),
    );
    const better = findBetter(
      value,
      options.map(({ node }) => node.name),
      asked,
    );
    if (better !== null) return `"${value.slice(0, 60)}" was chosen, and the task names "${better.slice(0, 60)}".`;
  }
  return null;
}

function findFields(url: string, label: string, captured: Case["captured"]): ObservedNode[] {
  const pages = captured.list().filter((page) => isSamePage(page.url, url));
  return pages.flatMap(({ root }) => [...walk(root)].map(({ node }) => node).filter(({ name }) => name === label));
}

/** Minutes for hours, cents for euros. */
const FACTORS = [24, 60, 100, 1_000, 3_600];

/** The task gives one number, and the run has entered one into a field for numbers, and they differ. */
function findOtherNumber({ task, steps, captured }: Case): string | null {
  const spelled = (withoutQuotedText(task.prompt).match(/\p{L}+/gu) ?? []).flatMap(
    (word) => parseNumberWord(word) ?? [],
  );
  const digits = (task.prompt.match(/(?<![\w.,:-])\d+(?:\.\d+)?(?![\w:]|[.,-]\d)/g) ?? []).map(Number);
  const [given, ...others] = new Set([...spelled, ...digits]);
  const entered = findAllEntries(steps).filter(
    ({ kind, url, label, value }) =>
      kind === "text" &&
      /^\d+$/.test(value) &&
      findFields(url, label, captured).some(({ role }) => role === "spinbutton"),
  );
  const [only, ...more] = entered;
  if (given === undefined || others.length > 0 || only === undefined || more.length > 0) return null;
  const value = Number(only.value);
  const isConverted = FACTORS.some((factor) => value === given * factor || value * factor === given);
  return value === given || isConverted
    ? null
    : `The task says ${given}, and ${value} was entered into "${only.label.slice(0, 60)}".`;
}
