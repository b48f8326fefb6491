import { walk } from "../../browser/observation/observation.ts";
import { collapseWhitespace, foldVisible } from "../../browser/observation/visible-text.ts";
import { contains, isSamePage } from "../grounding/captured-pages.ts";
import { asksForChange, asksForInformation, withoutQuotedText } from "../grounding/english-words.ts";
import { findFailure } from "../grounding/failure-words.ts";
import { isField, readOutsideFields } from "../grounding/page-text.ts";
import { type Case, findAllEntries, findFreshPage } from "./case.ts";
import type { Check } from "./check.ts";
import { type PageLine, toPageLines } from "./page-lines.ts";

/** A text that a claim cites for something that was done. */
interface Proof {
  readonly text: string;
  readonly url: string;
}

/**
 * What proves a change: neither what the run itself has typed, unless a fresh page shows it, nor a message of the site that
 * something did not work.
 */
export function checkProofs(context: Case): Check[] {
  const { writes, steps } = context;
  const hasActed = steps.some(({ effect }) => effect === "mutate");
  const hasSent = writes.some(({ write, cause }) => write.isFirstParty && cause?.effect === "mutate");
  return findProofs(context).flatMap((proof): Check[] => {
    if (hasActed && isOwnTyping(proof, context)) {
      const evidence = `"${proof.text.slice(0, 100)}" is what the run itself has typed; no fresh page shows it.`;
      return [{ about: "The proof comes from the site", verdict: "contradicted", evidence }];
    }
    const message = hasSent ? findErrorMessage(proof, context) : null;
    if (message === null) return [];
    const evidence = `The claim cites a message that something did not work: "${message.slice(0, 160)}".`;
    return [{ about: "The proof shows a change", verdict: "contradicted", evidence }];
  });
}

/** Facts answer questions; in a task that only asks for a change they are cited as proof. */
function findProofs({ claim, task }: Case): Proof[] {
  const texts = claim.conditions.flatMap((each) => (each.kind === "text" ? [{ text: each.text, url: each.url }] : []));
  const words = withoutQuotedText(task.prompt);
  const isOnlyChange = asksForChange(words) && !asksForInformation(words) && claim.extraction === null;
  const facts = isOnlyChange ? claim.facts : [];
  return [...texts, ...facts.flatMap(({ quote, url }) => (quote === null ? [] : [{ text: quote, url }]))];
}

/** All of the text was typed by the run, and the pages show it only in fields, or only in the run's own tab. */
function isOwnTyping({ text, url }: Proof, { steps, captured, freshPages }: Case): boolean {
  const wanted = foldVisible(text);
  const isTyped = findAllEntries(steps).some(
    ({ kind, value }) => kind === "text" && wanted !== "" && foldVisible(value).includes(wanted),
  );
  if (!isTyped) return false;
  if (freshPages.some(({ page }) => page !== null && contains(page.text, text))) return false;
  const fresh = findFreshPage(freshPages, url);
  if (fresh?.page != null && fresh.note === null) return true;
  // The page cannot be opened again, such as a confirmation: what it said outside of its fields counts.
  return !captured.list().some((page) => isSamePage(page.url, url) && contains(readOutsideFields(page.root), text));
}

const MAX_LINE = 300;
/** A field and its value, which the site has not said. */
const HELD = / = ".*"$/;

/** The line of the page that the proof is from, where it says that something did not work and the task did not ask for that. */
function findErrorMessage({ text, url }: Proof, { captured, freshPages, task }: Case): string | null {
  const pages = [...captured.list(), ...freshPages.flatMap(({ page }) => (page === null ? [] : [page]))];
  const lines = pages
    .filter((page) => isSamePage(page.url, url))
    .flatMap((page) => toPageLines(page.root).map((line, index, all) => toSentence(line.text, all[index - 1], text)))
    .filter((line) => line.length <= MAX_LINE && contains(line, text) && !HELD.test(line));
  const held = pages.flatMap(({ root }) =>
    [...walk(root)].flatMap(({ node }) => (isField(node) ? [node.value ?? ""] : [])),
  );
  // A text may also be somewhere else, where it means something else.
  const messages = (lines.length === 0 ? [text] : lines).map((line) =>
    isFailure(withoutContent(line, held), task.prompt) ? line : null,
  );
  return messages.includes(null) ? null : (messages[0] ?? null);
}

/** Without the sentences that a field holds: they are what is edited, such as an article, and no message of the site. */
function withoutContent(line: string, held: readonly string[]): string {
  const texts = held.map(collapseWhitespace);
  return line
    .split(/(?<=[.!?])\s+/)
    .filter((sentence) => !texts.some((text) => contains(text, sentence)))
    .join(" ");
}

/** What a sentence names may be a link or a button in it, and so a line of its own: "Cannot join" and "[#keys]". */
function toSentence(line: string, before: PageLine | undefined, text: string): string {
  const isName = line.replace(/^\[(.*)\]$/, "$1").trim() === text.trim();
  const isOpen = before !== undefined && !before.isHeading && !/[.!?:\]"]$/.test(before.text);
  return isName && isOpen ? `${before.text} ${text}` : line;
}

/** "Close the issue" makes "The issue is closed" a success. */
function isFailure(line: string, prompt: string): boolean {
  const words = findFailure(line)?.match(/\p{L}{4,}/gu) ?? null;
  if (words === null) return findFailure(line) !== null;
  const asked = foldVisible(prompt);
  return !words.some((word) => asked.includes(word.slice(0, 5)));
}
