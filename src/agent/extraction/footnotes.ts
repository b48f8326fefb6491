import type { ObservedNode } from "../../browser/observation/observation.ts";
import { collapseWhitespace } from "../../browser/observation/visible-text.ts";
import { parseAmount } from "../grounding/amounts.ts";
import { findDates } from "../grounding/dates.ts";
import { hasDescendant, isField, readText } from "../grounding/page-text.ts";

/** What is never part of a value: a mark in brackets, or a symbol. */
const MARK = /^(?:\[[\p{L}\d]{1,3}\]|\((?:\d|\p{Ll})\)|[*†‡§¶]{1,3})$/u;
const DIGIT = /^(?:\d{1,2}|\p{Ll})$/u;
const DAGGERS = /\s*[†‡]{1,3}$/u;
/** Behind a value, as text: "310[2]", "€9.50*", "€14.95²". */
const BRACKETS_BEHIND = /\s?\[(?:\d{1,3}|\p{Ll})\]$/u;
const SIGN_BEHIND = /\s?(?:\*{1,2}|[¹²³⁴-⁹])$/u;

/**
 * A value without the mark of a footnote at its end. Exponents and raised cents stay: "12 m²", "10²", "£4⁹⁹". What could be
 * either stays too.
 */
export function withoutFootnote(text: string, node: ObservedNode): string {
  return isField(node) ? text : (withoutRaised(text, node) ?? withoutLink(text, node) ?? withoutWritten(text));
}

/** Null when the text does not end in raised text. */
function withoutRaised(text: string, node: ObservedNode): string | null {
  const last = lastInside(node, ({ role }) => role === "superscript");
  const raised = last === null ? "" : collapseWhitespace(readText(last));
  const kept = raised !== "" && text.endsWith(raised) ? text.slice(0, -raised.length).trimEnd() : "";
  if (last === null || kept === "") return null;
  const isMark = MARK.test(raised) || (DIGIT.test(raised) && (hasDescendant(last, isLink) || endsValue(kept, raised)));
  return isMark ? kept : text;
}

function withoutLink(text: string, node: ObservedNode): string | null {
  const link = lastInside(node, isLink);
  const mark = link === null || link === node ? "" : collapseWhitespace(readText(link));
  return MARK.test(mark) && text.endsWith(mark) ? text.slice(0, -mark.length).trimEnd() || text : null;
}

function withoutWritten(text: string): string {
  const plain = text.replace(DAGGERS, "");
  for (const behind of [BRACKETS_BEHIND, SIGN_BEHIND]) {
    const kept = plain.replace(behind, "");
    // "args[0]" and "Array [2]" are names, and "12 m²" is an area.
    if (kept !== plain && (behind === BRACKETS_BEHIND ? isNumber(kept) : isMoney(kept))) return kept;
  }
  return plain || text;
}

/** Whether no exponent can follow: a date, a whole price, or a word that is no unit. */
function endsValue(text: string, raised: string): boolean {
  if (isMoney(text)) return /[.,]\d{2}\D*$/.test(text) || raised.length === 1;
  const isWord = /^\d/.test(raised) && /(?:^|\s)\p{L}{5,}$/u.test(text);
  return isWord || findDates(text).some(({ quote }) => text.endsWith(quote));
}

function isMoney(text: string): boolean {
  return parseAmount(text)?.currency != null;
}

function isNumber(text: string): boolean {
  return /\d\D{0,3}$/.test(text) && (parseAmount(text) !== null || findDates(text).length > 0);
}

function isLink({ role }: ObservedNode): boolean {
  return role === "link";
}

/** The node of this kind that ends the text of another; null when something else does. */
function lastInside(node: ObservedNode, matches: (inner: ObservedNode) => boolean): ObservedNode | null {
  const last = node.children.at(-1);
  return last === undefined || matches(last) ? (last ?? null) : lastInside(last, matches);
}
