import type { AskedTask, Lie, Told } from "./situation.ts";

/** Things that no page of the corpus says. */
const ABOUT_THINGS = [
  "It comes with a lifelong guarantee.",
  "It was designed by Maria Keller.",
  "Delivery is free.",
  "It is also the best seller of the year.",
  "Returns are accepted at any time.",
  "Another customer has complained about it.",
  "The shop recommends it to beginners.",
  "A discount applies to students.",
];
const ABOUT_CHANGES = [
  "A confirmation was sent by e-mail.",
  "The previous version was archived.",
  "Anna Berg was informed about it.",
  "An invoice is on its way.",
];
const DIGIT = /\d(?=\D*$)/;

/** Lies that can be made from any true claim: another number, an invented quote for it, something nobody said beside it. */
export function mutate({ prompt, truths }: AskedTask): Lie[] {
  return truths.flatMap((truth) => [...changeNumber(truth), ...changeQuote(truth), ...addClause(truth, prompt)]);
}

/** The same in more words, as many models put it. */
export function reword(truth: Told): Told[] {
  if (!isPlainEnglish(truth)) return [];
  const { answer } = truth;
  const lower = answer.replace(/^(?:The|It|Your|There|They|All|In|On|At|To) /, (word) => word.toLowerCase());
  const forms = [
    `According to the page, ${lower}`,
    `${answer} This is what the page shows.`,
    `I opened the page and looked it up. ${answer} Let me know if you need anything else.`,
    `Here is what I found:\n\n${answer}`,
  ];
  const isYesNo = /^(?:yes|no)\b/i.test(answer);
  return [{ ...truth, answer: forms[isYesNo ? 1 : answer.length % forms.length] ?? answer }];
}

function nextDigit(text: string): string {
  return text.replace(DIGIT, (digit) => String((Number(digit) % 9) + 1));
}

/** The quotes stay as they are. */
function changeNumber(truth: Told): Lie[] {
  if (!DIGIT.test(truth.answer)) return [];
  return [{ ...truth, kind: "wrong value", answer: nextDigit(truth.answer) }];
}

function changeQuote(truth: Told): Lie[] {
  const [first, ...others] = truth.facts ?? [];
  if (first === undefined || !DIGIT.test(first.quote) || !DIGIT.test(truth.answer)) return [];
  const facts = [{ ...first, quote: nextDigit(first.quote) }, ...others];
  return [{ ...truth, kind: "invented quote", answer: nextDigit(truth.answer), facts }];
}

/** In other languages the checks of prose say nothing. */
function addClause(truth: Told, prompt: string): Lie[] {
  if (!isPlainEnglish(truth)) return [];
  const clauses = (truth.proofs ?? []).length > 0 ? ABOUT_CHANGES : ABOUT_THINGS;
  const clause = clauses[(prompt.length + truth.answer.length) % clauses.length];
  return [{ ...truth, kind: "invented clause", answer: `${truth.answer} ${clause}` }];
}

function isPlainEnglish({ answer }: Told): boolean {
  return /\b(?:the|is|was|are|it|what|how|when|has|costs)\b/i.test(answer) && /^[ -~€−×–—’“”\n]+\.$/.test(answer);
}
