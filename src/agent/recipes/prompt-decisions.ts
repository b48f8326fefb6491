import { findDates } from "../grounding/dates.ts";
import type { Step } from "../steps/step.ts";
import { isInPrompt, NotLearnable } from "./prompt-values.ts";

/**
 * What a prompt says in numbers, dates, addresses and quotation marks must be in a step. If no step uses it, the run has
 * decided something by it that the steps would not decide again: "the products under €20".
 */
export function rejectUnused(prompt: string, steps: readonly Step[]): void {
  const said = steps.flatMap(listTexts);
  const unused = listSpecifics(prompt).find((text) => !said.some((each) => isInPrompt(text, each)));
  if (unused !== undefined) throw new NotLearnable(`The prompt says "${unused}", and no step uses it.`);
}

function listTexts(part: unknown): string[] {
  if (typeof part === "string" || typeof part === "number") return [String(part)];
  return typeof part === "object" && part !== null ? Object.values(part).flatMap(listTexts) : [];
}

/** Whole numbers and amounts, dates, e-mail addresses, and what is in quotation marks. */
const SPECIFICS = [
  /(?<![\p{L}\p{N}])\d+(?:[.,]\d+)*(?![\p{L}\p{N}])/gu,
  /[^\s@<>,;"]+@[^\s@<>,;"]+\.\w+/g,
  /["“„«「]([^"”“»」]{1,500})["”“»」]/g,
];

function listSpecifics(prompt: string): string[] {
  const dates = findDates(prompt).map(({ quote }) => quote);
  const others = SPECIFICS.flatMap((pattern) =>
    [...withoutUrls(dates.reduce((rest, date) => rest.replace(date, " "), prompt)).matchAll(pattern)].map(
      ([text, inner]) => inner ?? text,
    ),
  );
  return [...dates, ...others];
}

function withoutUrls(prompt: string): string {
  return prompt.replace(/https?:\/\/\S+/g, " ");
}

/** Words by which a prompt leaves a decision to the run: the steps of one run do not decide again. */
const CONDITIONS =
  /\b(?:if|unless|otherwise|else|except|whenever|depending|provided|whether|instead|only when|as long as|in case|or)\b|\b(?:wenn|falls|sonst|außer|ansonsten|oder)\b|\b(?:sinon|sauf|lorsque|ou)\b|\b(?:salvo|excepto|a menos que)\b|\b(?:altrimenti|tranne|oppure)\b|\b(?:tenzij|anders|behalve)\b|(?:^|[^\p{L}])(?:si|se|jeśli|jeżeli|если|иначе|eğer|yoksa|إذا|अगर|यदि)(?=[^\p{L}]|$)|如果|若|除非|否则|もし|場合|만약|경우/iu;
const SELECTIONS =
  /\b(?:first(?! name)|last(?! name)|latest|newest|oldest|earliest|cheapest|best|worst|most|least|highest|lowest|largest|biggest|smallest|shortest|longest|nearest|closest|every|each|all|any|both|remaining|other)\b|\b(?:erste|letzte|neueste|älteste|nächste|günstigste|billigste|beste|meiste|höchste|niedrigste|alle|jede)[nrsm]?\b|\b(?:premier|première|dernier|dernière|moins cher|meilleur|tous|toutes|chaque|plus récent)e?s?\b|\b(?:primer|último|más barato|mejor|todos|todas|cada|primo|ultimo|migliore|tutti|tutte|ogni)[oa]?s?\b/iu;

/** Throws when the prompt asks for more than its values say. Whoever wrote the steps has said all of it. */
export function rejectDecisions(prompt: string): void {
  const plain = prompt.replace(/["“„«「][^"”“»」]{0,500}["”“»」]/g, '""');
  const condition = CONDITIONS.exec(plain)?.[0].trim();
  if (condition !== undefined)
    throw new NotLearnable(
      `The prompt has a condition ("${condition}"), and the steps of one run do not decide again.`,
    );
  const selection = SELECTIONS.exec(plain)?.[0].trim();
  if (selection !== undefined)
    throw new NotLearnable(
      `The prompt leaves a choice to the run ("${selection}"), which may be another one next time.`,
    );
}
