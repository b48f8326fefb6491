import type { Check } from "../../errand.ts";
import type { Fact } from "../../extraction/fact.ts";
import { findUngrounded } from "../../extraction/find-ungrounded.ts";
import { findVerbatim } from "../../planner/model/find-verbatim.ts";
import type { Case } from "./case.ts";

/** What a fact says can be read from its quote, and the quote is not cut out of a longer number or word. */
export function checkFactValues({ claim, captured, looks }: Case): Check[] {
  const pages = [...captured.list(), ...looks.flatMap(({ page }) => (page === null ? [] : [page]))];
  return claim.facts.flatMap((fact): Check[] => {
    const { label, quote, value } = fact;
    if (quote === null || value === null) return [];
    const about = `The value for "${label.slice(0, 80)}" is what the page says`;
    const said = `"${quote.slice(0, 100)}"`;
    if (!isSaid(fact, quote)) {
      const evidence = `${said} does not say ${JSON.stringify(value).slice(0, 80)}.`;
      return [{ about, verdict: "contradicted", evidence }];
    }
    if (!pages.some(({ text }) => findVerbatim(text, quote) !== null)) {
      return [{ about, verdict: "contradicted", evidence: `${said} is only a part of what stands there.` }];
    }
    return [];
  });
}

function isSaid({ value }: Fact, quote: string): boolean {
  if (typeof value !== "string") return canBeRead(value, quote);
  if (findVerbatim(quote, value) !== null) return true;
  const number = /^-?\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : null;
  const isPlain = number !== null || !/\d/.test(value) || /^\d{4}-\d{2}-\d{2}/.test(value);
  return isPlain && canBeRead(number ?? value, quote);
}

function canBeRead(value: unknown, quote: string): boolean {
  const text = quote.replace(/\s+/g, " ").trim();
  const leaf = { pointer: "/value", value, quote: text, url: "quote:" };
  const page = { url: "quote:", text, links: new Set<string>() };
  return findUngrounded({ data: { value }, leaves: [leaf], coverage: "", missing: [] }, [page]).length === 0;
}
