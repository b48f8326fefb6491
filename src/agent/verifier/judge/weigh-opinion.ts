import type { Check } from "../../errand.ts";
import { findVerbatim } from "../../planner/model/find-verbatim.ts";
import { toOneLine } from "../../prompting/one-line.ts";
import type { Opinion } from "./ask-verdict.ts";
import type { Criterion } from "./criterion.ts";
import type { Change, Evidence, Trial } from "./judge.ts";

const MAX_EVIDENCE = 300;
const MAX_ABOUT = 240;
const MAX_QUOTE = 120;
/** A shorter one stands on every page, unless it is a number or all that a line says. */
const MIN_QUOTE = 8;
const ASKED = "Every change was asked for";

type CriterionOpinion = Opinion["criteria"][number];
type ChangeOpinion = Opinion["changes"][number];

/**
 * What an opinion is worth. A verdict counts only where it was given once, cites evidence that there is and quotes what
 * really stands there; whatever else was said is unknown. So a model can be wrong, but it cannot make anything up.
 */
export function weighOpinion(opinion: Opinion | null, { criteria, evidence, changes }: Trial): Check[] {
  return [
    ...criteria.map((criterion) => weighCriterion(criterion, opinion?.criteria ?? [], evidence)),
    ...weighChanges(changes, opinion?.changes ?? []),
  ];
}

function weighCriterion(
  { id, text }: Criterion,
  opinions: readonly CriterionOpinion[],
  evidence: readonly Evidence[],
): Check {
  const about = toOneLine(text, MAX_ABOUT);
  const own = opinions.filter(({ criterion }) => criterion.trim() === id);
  const [opinion] = own;
  if (opinion === undefined) return unknown(about, "The verifier did not judge it.");
  if (own.length > 1) return unknown(about, "The verifier judged it more than once.");
  const fault = findFault(opinion, evidence);
  if (fault !== null) return unknown(about, `${fault} ${opinion.reason}`);
  const quote = opinion.quote.trim() === "" ? "" : `"${toOneLine(opinion.quote, MAX_QUOTE)}". `;
  return { about, verdict: opinion.verdict, evidence: toOneLine(`${quote}${opinion.reason}`, MAX_EVIDENCE) };
}

/** Why nothing can be built on it; null when its citations are in order. */
function findFault({ verdict, evidence: ids, quote }: CriterionOpinion, evidence: readonly Evidence[]): string | null {
  const cited = ids.map((id) => evidence.find((each) => each.id === id.trim()));
  if (cited.includes(undefined)) return "The verifier cites evidence that there is not.";
  if (verdict === "unknown") return null;
  if (quote.trim() !== "") {
    const stands = cited.some((each) => each !== undefined && standsIn(each, quote));
    if (!stands) return "The verifier quotes what does not stand in the evidence it cites.";
  }
  // That something is missing cannot be quoted; that something is there can.
  if (verdict !== "satisfied") return null;
  if (quote.trim() === "") return "The verifier cites nothing for it.";
  const saysSomething = cited.some((each) => each !== undefined && isTelling(each, quote));
  return saysSomething ? null : "The verifier quotes too little.";
}

function standsIn({ text, whole }: Evidence, quote: string): boolean {
  return [quote, toBare(quote)].some((each) =>
    [text, whole].some((place) => findVerbatim(squeeze(place), each) !== null),
  );
}

function isTelling({ text }: Evidence, quote: string): boolean {
  const bare = toBare(quote);
  if (bare.length >= MIN_QUOTE || /\d/.test(bare)) return true;
  return text.split(/\n| \| | = /).some((part) => toBare(part).toLowerCase() === bare.toLowerCase());
}

function toBare(text: string): string {
  return text.trim().replace(/^["“”'#\s[]+|["“”'\]\s…]+$/g, "");
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, " ");
}

function weighChanges(changes: readonly Change[], opinions: readonly ChangeOpinion[]): Check[] {
  const against = changes.flatMap((change) => weighChange(change, opinions));
  if (against.length > 0) return against;
  const evidence = changes.length === 0 ? "Nothing was changed." : `The task explains all ${changes.length} of them.`;
  return [{ about: ASKED, verdict: "satisfied", evidence }];
}

/** Empty when the task explains it. */
function weighChange({ id, text, isTechnical, isTold }: Change, opinions: readonly ChangeOpinion[]): Check[] {
  if (!isTold) return [unknown(ASKED, `${text}: too many to judge.`)];
  const own = opinions.filter(({ change }) => change.trim() === id);
  const [opinion] = own;
  if (opinion === undefined) return [unknown(ASKED, `The verifier did not judge this one: ${text}`)];
  if (own.length > 1) return [unknown(ASKED, `The verifier judged this one more than once: ${text}`)];
  switch (opinion.asked) {
    case "yes":
      return [];
    case "harmless":
      return isTechnical ? [] : [unknown(ASKED, `The verifier calls it harmless, which it need not be: ${text}`)];
    case "no":
      return [
        { about: ASKED, verdict: "contradicted", evidence: toOneLine(`${opinion.reason} ${text}`, MAX_EVIDENCE) },
      ];
    case "unsure":
      return [unknown(ASKED, `${opinion.reason} ${text}`)];
  }
}

function unknown(about: string, evidence: string): Check {
  return { about, verdict: "unknown", evidence: toOneLine(evidence, MAX_EVIDENCE) };
}
