import { foldVisible } from "../../browser/observation/visible-text.ts";
import { type CapturedPage, isSamePage } from "../grounding/captured-pages.ts";
import type { Claim } from "../grounding/claim.ts";
import { parseNumberWord } from "../grounding/english-words.ts";
import { redactUrl } from "../safe-text.ts";
import type { Case } from "./case.ts";
import type { Check } from "./check.ts";
import { readLists } from "./whole-lists.ts";

const ABOUT = "The text and the data agree";

/** The only list in the data, with what it is called there. */
interface DataList {
  readonly key: string;
  readonly items: readonly unknown[];
}

/** The answer's text and the extracted data say the same, over all pages that were read. */
export function checkAgreement(context: Case): Check[] {
  const { extraction, answer } = context.claim;
  if (extraction === null) return [];
  const lists = findLists(extraction.data, "");
  const [list] = lists;
  if (list === undefined || lists.length > 1) return [];
  const fault = findOtherCount(answer, list) ?? findOtherItem(answer, list) ?? findHalf(context);
  return fault === null ? [] : [{ about: ABOUT, verdict: "contradicted", evidence: fault }];
}

function findLists(data: unknown, key: string): DataList[] {
  if (typeof data !== "object" || data === null) return [];
  if (Array.isArray(data)) return [{ key, items: data }];
  return Object.entries(data).flatMap(([name, value]) => findLists(value, name));
}

const NUMBER = "(\\d{1,6}|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)";
const GENERIC = "rows?|records?|entries|results?|items?|matches";

/** "Found 12 orders", where the data has 10 of them. Another number in the text may be the right one. */
function findOtherCount(answer: string, { key, items }: DataList): string | null {
  const noun = /^[a-z]{3,30}$/i.test(key) ? `${key}|${key.replace(/s$/i, "")}|${GENERIC}` : GENERIC;
  const form = new RegExp(
    `(?:^|\\b(?:found|there (?:are|is)|extracted|listed|collected|here are(?: the| all)?|all|total of)) ${NUMBER} (?:[\\p{L}-]+ ){0,2}?(?:${noun})\\b`,
    "gimu",
  );
  const said = [...` ${answer}`.matchAll(form)].map(([, number = ""]) => parseNumberWord(number) ?? Number(number));
  const [first] = said;
  if (first === undefined || said.includes(items.length)) return null;
  return `The text says ${first}, and the data has ${items.length}.`;
}

const BULLET = /^\s*(?:[-*•–]|\d{1,4}[.)])\s+(\S.*)$/;

/** A line of a list in the text that names nothing of the data, or more lines than the data has. */
function findOtherItem(answer: string, { items }: DataList): string | null {
  const bullets = answer.split("\n").flatMap((line) => BULLET.exec(line)?.[1] ?? []);
  if (bullets.length < 2) return null;
  if (bullets.length > items.length) return `The text lists ${bullets.length}, and the data has ${items.length}.`;
  const known = items.flatMap(scalarsIn).filter((text) => text.length >= 2);
  const strange =
    known.length === 0 ? undefined : bullets.find((bullet) => !known.some((text) => fold(bullet).includes(text)));
  return strange === undefined ? null : `The text lists "${strange.slice(0, 80)}", and the data does not have it.`;
}

function scalarsIn(data: unknown): string[] {
  if (typeof data === "object" && data !== null) return Object.values(data).flatMap(scalarsIn);
  return data === null || typeof data === "boolean" ? [] : [fold(String(data))];
}

function fold(text: string): string {
  return foldVisible(text).replace(/[^\p{L}\p{N}]+/gu, "");
}

/** The facts of the answer come from several pages of a list, and the data only from some of them. */
function findHalf({ claim, captured }: Case): string | null {
  const pages = captured.list();
  const isCited = (url: string) => (claim.extraction?.leaves ?? []).some((leaf) => isSamePage(leaf.url, url));
  const left = claim.facts.find(({ url }) => !isCited(url) && isOtherPage(url, claim, pages));
  if (left === undefined) return null;
  return `The text rests on ${redactUrl(left.url)} as well, and the data has nothing from that page of the list.`;
}

/** Both URLs show rows of one list: the same table under the same heading, and the same path. */
function isOtherPage(url: string, { extraction }: Claim, pages: readonly CapturedPage[]): boolean {
  const own = extraction?.leaves[0]?.url;
  if (own === undefined || URL.parse(own)?.pathname !== URL.parse(url)?.pathname) return false;
  const shown = [own, url].flatMap((each) => pages.findLast((page) => isSamePage(page.url, each)) ?? []);
  return shown.length === 2 && readLists(shown).some(({ pages: count, set }) => count === 2 && set.region === "main");
}
