import type { ObservedNode } from "../../browser/observation/observation.ts";
import { readOwnText } from "../grounding/page-text.ts";
import { kindOfText, type TextKind } from "../grounding/short-texts.ts";
import { ACTION, type CardPart, findCardParts, findTitle, isLine } from "./cards.ts";
import { isLink } from "./record-set.ts";
import { isTotalLabel } from "./tables.ts";

export const CARD_ROLES = new Set(["article", "generic", "group", "region", "link", "figure", "treeitem", "option"]);
const READ_ROLES = new Set([...CARD_ROLES, "text", "strong"]);

/** What is known of the cards of a list. */
export interface CardProfile {
  readonly role: string;
  /** The kinds of their parts, whatever their titles are. */
  readonly kinds: ReadonlySet<string>;
  readonly titles: ReadonlySet<string>;
  /** Their prices, ratings and dates, without the digits. */
  readonly forms: ReadonlySet<string>;
  readonly valueKinds: ReadonlySet<TextKind>;
  /** Where their titles lead. */
  readonly places: ReadonlySet<string>;
}

export function describeCards(cards: readonly ObservedNode[]): CardProfile {
  const read = cards.map((card) => ({ card, parts: findParts(card) }));
  const values = read.flatMap(({ parts }) => parts.filter(saysMore));
  return {
    role: cards[0]?.role ?? "",
    kinds: new Set(read.map(({ parts }) => kindsOf(parts))),
    titles: new Set(read.map(({ card, parts }) => titleKindOf(card, parts))),
    forms: new Set(values.map(formOf)),
    valueKinds: new Set(values.map(({ text }) => kindOfText(text))),
    places: new Set(read.flatMap(({ card, parts }) => placeOf(titleUrl(card, parts)) ?? [])),
  };
}

type Place = "before" | "between" | "after";
type Standing = "card" | "unread" | "other";

/** Whether a sibling is a card of the list, may be one, or is something else. */
export function judgeSibling(node: ObservedNode, profile: CardProfile, place: Place): Standing {
  const parts = READ_ROLES.has(node.role) ? findParts(node) : [];
  if (parts.length === 0 || isFurniture(parts)) return "other";
  const isLinked = leadsThere(node, parts, profile);
  if (node.role !== profile.role) return place === "between" || isLinked ? "unread" : "other";
  if (node.role === "article") return "card";
  return place === "between" ? judgeInside(parts, profile, isLinked) : judgeOutside(node, profile, place, isLinked);
}

/** What stands between two cards may be one. */
function judgeInside(parts: readonly CardPart[], profile: CardProfile, isLinked: boolean): Standing {
  const isAlike = profile.kinds.has(kindsOf(parts)) && hasSameForm(parts, profile);
  return isLinked || isAlike ? "card" : "unread";
}

/** Before and after the cards it must look like one. */
function judgeOutside(node: ObservedNode, profile: CardProfile, place: Place, isLinked: boolean): Standing {
  if (isLinked) return profile.kinds.has(kindsOf(findParts(node))) ? "card" : "unread";
  return mayBeCard(node, profile, place) ? "unread" : "other";
}

/** The parts of a card may look like cards. Those of one list have headings of one level, or lead to pages of one kind. */
export function areOfOneKind(cards: readonly ObservedNode[]): boolean {
  const kinds = cards.map((card) => {
    const parts = findParts(card);
    const title = titleKindOf(card, parts);
    return /^h\d/.test(title) ? title : placeOf(titleUrl(card, parts));
  });
  return !kinds.includes(null) && new Set(kinds).size === 1;
}

export function saysMore({ text }: CardPart): boolean {
  return kindOfText(text) !== "text";
}

const PAGER = /^(?:[^\p{L}]*|(?:next|prev(?:ious)?|first|last|page|load|back)\b.*)$/iu;
const ADVERTISEMENT = /^(?:advertisement|advert|ad|anzeige|werbung)$/i;

/** Prices, ratings and dates written as in the other cards: "over £50" is none of the prices. */
function hasSameForm(parts: readonly CardPart[], { forms }: CardProfile): boolean {
  return parts.some((part) => saysMore(part) && forms.has(formOf(part)));
}

/** The same parts, with a value or a title of the same kind. Lines before the first card may be the names of columns. */
function mayBeCard(node: ObservedNode, { kinds, titles, valueKinds, places }: CardProfile, place: Place): boolean {
  // Text and a block below it are two parts here.
  const parts = isLine(node) ? node.children.flatMap(findParts) : findParts(node);
  if (!kinds.has(kindsOf(parts))) return false;
  if (parts.some((part) => saysMore(part) && valueKinds.has(kindOfText(part.text)))) return true;
  const title = titleKindOf(node, parts);
  return titles.has(title) && (title === "link" ? places.size !== 1 : place === "after");
}

/** Page numbers, an advertisement, a total, a date or a mark between the cards, and links that do something. */
function isFurniture(parts: readonly CardPart[]): boolean {
  const [first, ...others] = parts;
  if (first === undefined || parts.some(({ text }) => ADVERTISEMENT.test(text)) || isTotalLabel(first.text))
    return true;
  if (others.length === 0 && first.kind !== "link" && kindOfText(first.text) === "date") return true;
  return (
    parts.every(({ text }) => PAGER.test(text)) || parts.every(({ kind, text }) => kind === "link" && ACTION.test(text))
  );
}

function findParts(node: ObservedNode): readonly CardPart[] {
  if (node.children.length > 0) return findCardParts(node);
  const text = readOwnText(node);
  return text === "" ? [] : [{ node, text, kind: isLink(node) ? "link" : "line" }];
}

function kindsOf(parts: readonly CardPart[]): string {
  const title = findTitle(parts);
  return parts.map((part) => (part === title ? "title" : part.kind)).join(" ");
}

function titleKindOf(card: ObservedNode, parts: readonly CardPart[]): string {
  const title = findTitle(parts);
  if (title?.kind === "heading") return `h${title.node.states.level ?? 0}`;
  return isLink(card) ? "link" : (title?.kind ?? "");
}

/** "£80" and "£1,250.00" have one form, "over £50" has another. */
function formOf({ text }: CardPart): string {
  return text.replace(/\d+(?:[.,]\d+)*/g, "#");
}

function titleUrl(card: ObservedNode, parts: readonly CardPart[]): string | null {
  return findUrl(findTitle(parts)?.node) ?? card.url;
}

function findUrl(node: ObservedNode | undefined): string | null {
  if (node === undefined) return null;
  return node.url ?? node.children.map(findUrl).find((url) => url !== null) ?? null;
}

/** Exactly one page like those of the cards. */
function leadsThere(node: ObservedNode, parts: readonly CardPart[], { places }: CardProfile): boolean {
  const urls = [node.url, ...parts.map((part) => findUrl(part.node))].filter((url) => url !== null);
  return new Set(urls.filter((url) => places.has(placeOf(url) ?? ""))).size === 1;
}

/** The folder and the names of the parameters. Null for what any link of the site has in common, and for a place on a page. */
function placeOf(url: string | null): string | null {
  const parsed = url === null ? null : URL.parse(url);
  if (parsed === null || parsed.hash !== "") return null;
  const folder = parsed.pathname.replace(/[^/]*\/?$/, "");
  const names = [...parsed.searchParams.keys()].toSorted().join("&");
  return folder === "/" && names === "" ? null : `${parsed.origin}${folder}?${names}`;
}
