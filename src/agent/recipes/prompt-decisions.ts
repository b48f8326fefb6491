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

/** Any of these words, in any script; parts of a text where a language puts no spaces between words. */
function anyOf(words: readonly string[], parts: string): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{M}\p{N}])(?:${words.join("|")})(?![\p{L}\p{M}\p{N}])|${parts}`, "iu");
}

/** Words by which a prompt leaves a decision to the run: the steps of one run do not decide again. */
const CONDITIONS = anyOf(
  [
    "if|unless|otherwise|else|except|whenever|depending|provided|whether|instead|only when|as long as|in case|or",
    "wenn|falls|sofern|sonst|außer|ansonsten|oder|tenzij|anders|behalve|annars|hvis|ellers",
    "si|sinon|sauf|lorsque|ou|salvo|excepto|a menos que|se|altrimenti|tranne|oppure|caso|senão|exceto",
    "jeśli|jeżeli|chyba że|pokud|если|иначе|кроме|якщо|інакше|eğer|yoksa|إذا|إلا|אם|अगर|यदि|nếu|jika|kalau",
  ],
  "如果|若|除非|否则|否則|もし|場合|만약|경우|ถ้า|หาก",
);
const SELECTIONS = anyOf(
  [
    "first(?! name)|last(?! name)|latest|newest|oldest|earliest|cheapest|best|worst|most|least|highest|lowest|largest",
    "biggest|smallest|shortest|longest|nearest|closest|every|each|all|any|both|remaining|other",
    "(?:erst|letzt|neuest|ältest|nächst|günstigst|billigst|best|meist|höchst|niedrigst|all|jed)e[nrsm]?",
    "premi(?:er|ère)s?|derni(?:er|ère)s?|(?:le|la|les) (?:plus|moins)|meilleure?s?|tous|toutes|chaque",
    "primer[oa]?s?|últim[oa]s?|(?:más|menos|mais|più|meno) \\p{L}+|mejor(?:es)?|melhor(?:es)?|tod[oa]s?|cada",
    "prim[oaie]|ultim[oaie]|miglior[ei]|tutt[ie]|ogni|primeir[oa]s?",
    "eerste|laatste|nieuwste|oudste|goedkoopste|duurste|beste|elke|første|siste|sidste|billigste|första|sista|billigaste",
    "pierwsz\\p{L}+|ostatni\\p{L}*|naj\\p{L}+|każd\\p{L}+|wszystki\\p{L}+|nej\\p{L}+|první|poslední|všechny",
    "перв\\p{L}+|последн\\p{L}+|сам\\p{L}+|кажд\\p{L}+|все|всех|най\\p{L}+|ilk|tüm|آخر|أول|كل|أرخص|सबसे|हर",
  ],
  "最|第一|全部|すべて|全て|所有|每|가장|모든|마지막|ที่สุด|ทั้งหมด|ล่าสุด",
);

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
