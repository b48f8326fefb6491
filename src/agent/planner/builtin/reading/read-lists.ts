import { readCount } from "../english/ordinals.ts";
import type { ClauseReader } from "./clause-reader.ts";
import { readTarget } from "./target.ts";

const SEARCH =
  /^(?:search|look)(?:\s+(?:in|on|through|within)?\s*(?:the|this)\s+(?:site|page|shop|store|catalog(?:ue)?|web ?site|web|database|list|archive|docs|documentation))?\s+(?:for|up)\s+(.+)$/i;
const SEARCH_BARE = /^search\s+([\uE000-\uF8FF])$/i;
const SEARCH_BOX =
  /\s+(?:in|using|with|on|via|through)\s+(?:the\s+)?(?:search (?:bar|box|field|form|engine)|site|page|web ?site|shop|store|catalog(?:ue)?|site search)$/i;

export const readSearch: ClauseReader = (clause, { quotes }) => {
  const query = SEARCH.exec(clause)?.[1] ?? SEARCH_BARE.exec(clause)?.[1];
  if (query === undefined) return null;
  const plain = quotes.reveal(
    query
      .replace(SEARCH_BOX, "")
      .replace(/^(?:the|a|an) (?:word|term|phrase|product|item|text)s?\s+(?=[\uE000-\uF8FF])/i, ""),
  );
  return [{ said: quotes.reveal(clause), kind: "search", query: plain.trim() }];
};

const SORT = /^(?:sort|order|arrange)\s+(?:(?:the|all|these)?\s*.*?\s*)?by\s+(.+)$/i;
const DESCENDING =
  /\b(?:desc(?:ending)?|high(?:est)?(?:\s*-?to-?\s*|\s+to\s+)low(?:est)?|(?:highest|newest|latest|largest|most expensive|most recent)(?: first)?|z\s*(?:-|to)\s*a|decreasing)\b/i;
const ASCENDING =
  /\b(?:asc(?:ending)?|low(?:est)?(?:\s*-?to-?\s*|\s+to\s+)high(?:est)?|(?:lowest|cheapest|oldest|earliest|smallest)(?: first)?|a\s*(?:-|to)\s*z|increasing)\b/i;

export const readSort: ClauseReader = (clause, { quotes }) => {
  const match = SORT.exec(clause)?.[1];
  if (match === undefined) return null;
  const direction = DESCENDING.test(match) ? "descending" : ASCENDING.test(match) ? "ascending" : null;
  const by = match
    .replace(DESCENDING, " ")
    .replace(ASCENDING, " ")
    .replace(/\bfrom\s*$|\bin\s+(?:an?\s+)?order\b|\border\b|[(),:-]+|\bfirst\b|\bfrom\b|\bin\s*$/gi, " ")
    .replace(/^\s*the\s+/i, "")
    .replace(/\s+/g, " ")
    .trim();
  const isOneWord = by === "" && direction !== null;
  return [{ said: quotes.reveal(clause), kind: "sort", by: quotes.reveal(isOneWord ? match : by), direction }];
};

const FILTER =
  /^(?:filter|narrow|limit|restrict)\s+(?:(?:the|these|all)?\s*(?:results|products|list|table|items|search)?\s*(?:down\s*)?)?(?:by|to|for|on|down to)\s+(.+)$/i;

const ONLY =
  /^(?:show|display|view)\s+(?:me\s+)?only\s+(?:the\s+)?(?:(?:items|products|results|entries|articles)\s+)?(?:in|from|of)?\s*(?:the\s+)?(?:category\s+)?(.+?)(?:\s+category)?$/i;

export const readFilter: ClauseReader = (clause, { quotes }) => {
  const only = ONLY.exec(clause)?.[1];
  if (
    only !== undefined &&
    !/\b(?:under|over|below|above|less|more|between|cheaper|than|that|which|with)\b/i.test(only)
  ) {
    return [{ said: quotes.reveal(clause), kind: "choose", options: quotes.reveal(only), from: null }];
  }
  const match = FILTER.exec(clause)?.[1];
  if (match === undefined) return null;
  const said = quotes.reveal(clause);
  const pair = /^(.+?)\s*(?::|=|\bis\b|\bequals\b)\s*(.+)$/i.exec(match);
  if (pair !== null) {
    return [{ said, kind: "choose", options: quotes.reveal(pair[2] ?? ""), from: readTarget(pair[1] ?? "", quotes) }];
  }
  if (/\b(?:under|over|below|above|less|more|between|cheaper|than)\b/i.test(match)) return null;
  return [
    {
      said,
      kind: "choose",
      options: quotes.reveal(match.replace(/^(?:the\s+)?(?:category|type|brand)\s+(?=\S)/i, "")),
      from: null,
    },
  ];
};

const VOUCHER =
  /^(?:apply|use|redeem|enter|add)\s+(?:the\s+|my\s+|a\s+)?((?:voucher|coupon|promo(?:tion(?:al)?)?|discount|gift)(?:\s*(?:code|card))?)\s+(\S+)$/i;

/** "apply the voucher WELCOME10": the field for it, and the button beside the field. */
export const readVoucher: ClauseReader = (clause, { quotes }) => {
  const [, what = "", code = ""] = VOUCHER.exec(clause) ?? [];
  if (code === "" || /^enter/i.test(clause)) return null;
  const said = quotes.reveal(clause);
  const value = { from: "task" as const, text: quotes.reveal(code) };
  return [
    { said, kind: "set", target: readTarget(what, quotes), value, all: false },
    { said, kind: "click", target: readTarget("Apply", quotes), times: "once", explores: false },
  ];
};

const CART = "(?:shopping\\s+)?(?:cart|basket|bag|trolley)|wish\\s?list|favou?rites";
const ADD = new RegExp(`^(?:add|put|place)\\s+(.+?)\\s+(?:to|in|into|inside)\\s+(?:the|my|your|a)?\\s*(${CART})$`, "i");
const COUNT =
  /^(\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s+(?:(?:pieces?|units?|copies|items?)\s+)?(?:of\s+)?(.*)$/i;

/** "add two of the red mugs to the cart", "add the kettle and two mugs to the cart". */
export const readAdd: ClauseReader = (clause, { quotes }) => {
  const match = ADD.exec(clause);
  if (match === null) return null;
  const [, what = "", to = "cart"] = match;
  return splitProducts(what).map((part) => {
    const counted = COUNT.exec(part);
    const rest = (counted === null ? part : (counted[2] ?? "")).trim();
    const isIt = /^(?:it|them|this|that|these|those|(?:the|this|that) (?:product|item|article)|)$/i.test(rest);
    const count = readCount(counted?.[1] ?? "") ?? 1;
    return { said: quotes.reveal(clause), kind: "add", count, product: isIt ? null : readTarget(rest, quotes), to };
  });
};

/** A new product begins with an article, a number or a quotation: "salt and pepper mill" is one. */
function splitProducts(what: string): string[] {
  return what.split(
    /\s*,\s*(?:and\s+)?(?=(?:the|an?|\d+|one|two|three|four|five)\s|[\uE000-\uF8FF])|\s+and\s+(?=(?:the|an?|\d+|one|two|three|four|five)\s|[\uE000-\uF8FF])/i,
  );
}
