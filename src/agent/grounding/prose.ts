import { foldVisible } from "../../browser/observation/visible-text.ts";

const BETWEEN_CLAUSES = /\n+|(?<=[.!?])\s+|;\s+|:\s*\n|,\s+(?:and|but|while)\s+|\s+(?:and|but|while)\s+|,\s+(?=\p{L})/u;

/** The clauses of a text: what is said of one thing before something is said of another. */
export function splitClauses(text: string): string[] {
  return text
    .split(BETWEEN_CLAUSES)
    .map((clause) => clause.trim())
    .filter(Boolean);
}

const ENGLISH =
  /\b(?:the|and|of|is|are|was|were|to|in|for|with|not|your|you|it|its|on|at|by|from|has|have|this|that|no|yes|all|there|will)\b/gi;
/** Function words of other languages that are no English words. */
const FOREIGN_WORDS =
  "der die das und ist sind ein eine auf mit für von nicht wurde le la les des est et un une pour avec dans el los las es una por con para de del il di che och som inte att het een niet voor wir haben ihr ihre sie vielen dank nein zum zur im zu bei aus nach oder auch wird sich vous nous votre merci oui sur aux du qui que pas gracias su sí".split(
    " ",
  );
const FOREIGN = new RegExp(`(?<!\\p{L})(?:${FOREIGN_WORDS.join("|")})(?!\\p{L})`, "giu");
const OTHER_LETTERS = /(?![A-Za-z])\p{L}/gu;
const MAX_OTHER_LETTERS = 0.02;

/** Whether a text may be judged by English words: nothing in it suggests another language. */
export function isEnglish(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const others = text.match(OTHER_LETTERS)?.length ?? 0;
  if (letters === 0 || others > letters * MAX_OTHER_LETTERS) return false;
  return (text.match(FOREIGN)?.length ?? 0) <= (text.match(ENGLISH)?.length ?? 0) / 4;
}

const IS_FOREIGN: ReadonlySet<string> = new Set([...FOREIGN_WORDS, "den", "dem"]);
const IS_ENGLISH = new RegExp(`^(?:${ENGLISH.source}|my|our|an?|or|be)$`, "i");
/** In names they stand between two names: "Oscar de la Renta". */
const IS_PARTICLE: ReadonlySet<string> = new Set("de la le les los las el del der den di da du des van von".split(" "));

/** Whether a task is in another language than English. Names in it say nothing about that: "Archive the branch El Paso." */
export function isForeignTask(prompt: string): boolean {
  const [first = ""] = prompt.trim().match(/^\p{L}+/u) ?? [];
  const { foreign, english } = countFunctionWords(prompt);
  return foreign + (hasOtherLetters(first) ? 1 : 0) > english;
}

/** Whether a page is written in another language: several words of it inside sentences, and not only the names of places or people. */
export function isForeignProse(lines: readonly string[]): boolean {
  const counts = lines.filter(isSentence).map(countFunctionWords);
  const foreign = counts.reduce((sum, count) => sum + count.foreign, 0);
  const english = counts.reduce((sum, count) => sum + count.english, 0);
  return foreign >= 2 && foreign > english;
}

const LETTERS = /\p{L}[\p{L}\p{M}]*/gu;

function isSentence(line: string): boolean {
  const small = (line.match(LETTERS) ?? []).filter((word) => !isCapital(word));
  return small.some((word) => !IS_FOREIGN.has(word)) || (small.length > 0 && /[.!?…]$/.test(line.trim()));
}

function countFunctionWords(text: string): { readonly foreign: number; readonly english: number } {
  const words = text.match(LETTERS) ?? [];
  const foreign = words.filter((word, index) => isForeignWord(word, index, words)).length;
  return { foreign, english: words.filter((word) => IS_ENGLISH.test(word)).length };
}

function isForeignWord(word: string, index: number, words: readonly string[]): boolean {
  const next = words[index + 1] ?? "";
  if (!IS_FOREIGN.has(word.toLowerCase())) return !isCapital(word) && hasOtherLetters(word);
  // "El Paso", "Las Vegas".
  if (isCapital(word)) return next !== "" && !isCapital(next);
  const isPart = (each: string) => IS_PARTICLE.has(each);
  const before = words.slice(0, index).findLastIndex((each) => !isPart(each));
  const after = words.slice(index).find((each) => !isPart(each)) ?? "";
  return !(isPart(word) && before > 0 && isCapital(words[before] ?? "") && isCapital(after));
}

function isCapital(word: string): boolean {
  return /^\p{Lu}/u.test(word);
}

function hasOtherLetters(word: string): boolean {
  return /(?![A-Za-z])\p{L}/u.test(word);
}

const FOREIGN_QUESTION =
  /^¿?\s*(?:wer|wem|wen|was|wann|wo|woher|wohin|wie|wieso|weshalb|warum|welche[rsmn]?|qui|quoi|qu['’]est|quel(?:le)?s?|quand|où|combien|comment|pourquoi|quién(?:es)?|qué|cuándo|dónde|cuánt[oa]s?|cuál(?:es)?|cómo)(?!\p{L})[^.!?;\n]*\?$/iu;

/** Whether a task in German, French or Spanish is one sentence that asks for something to know, and for nothing else. */
export function isForeignQuestion(prompt: string): boolean {
  return FOREIGN_QUESTION.test(prompt.trim());
}

/** Words that say nothing about the subject: function words, and those that people use to report. */
const REPORTING = new Set(
  foldVisible(
    `the and for with from that this these those than then also only just both all any each every some such very more most less
    was were are been being will would can could may might must shall should has have had did does done doing get gets got
    you your yours they them their its his her him she who whom whose which what when where why how here there now yet
    but not nor neither either none nothing never about into onto over under per via between within without before after
    yes sure okay please note according based per means which while because since until still already currently exactly
    found find finds shows show shown showing says say said states stated lists listed list lists gives given give named name names called
    answer answers question asked ask request requested task page pages site website result results following follows
    one two three four five six seven eight nine ten first second last next other another same own total number amount value
    cost costs price priced worth stands comes made make makes taken take takes set put sent send paid pay bought buy
    successfully successful completed complete confirmed see seen look looked read check checked verified opened open
    let know need needs anything else happy further feel help helps hope assist thanks thank glad welcome great good
    displayed displays indicates indicating reads contains includes including mentions section table row column field label heading
    header text button link menu screen browser homepage information info details detail data shown visible
    navigated located clicked searched scrolled filled entered submitted selected chose chosen typed pressed visited accessed
    retrieved extracted gathered collected counted compared calculated computed sum difference altogether together approximately
    left alone remain remains unchanged right moment whenever however depending around
    roughly unfortunately therefore additionally finally specifically respectively overall summary
    time times day days date later earlier again once well way as at by in of on or to up is it if so be do no an am pm`,
  ).split(/\s+/),
);

/** The words of a text that say something, without endings that do not matter for comparing. */
export function contentWords(text: string): string[] {
  const words = (foldVisible(text).match(/\p{L}[\p{L}’']+/gu) ?? []).map((word) => word.replace(/['’].*$/, ""));
  return words.filter((word) => word.length >= 3 && !REPORTING.has(word));
}

/** Words by their first letters. */
export type KnownWords = ReadonlyMap<string, ReadonlySet<string>>;

const FIRST_LETTERS = 3;

export function toKnownWords(texts: readonly string[]): KnownWords {
  const known = new Map<string, Set<string>>();
  for (const text of texts) {
    for (const [word] of foldVisible(text).matchAll(/\p{L}{2,}/gu)) {
      const key = word.slice(0, FIRST_LETTERS);
      const alike = known.get(key) ?? new Set();
      known.set(key, alike.add(word));
    }
  }
  return known;
}

/** Whether one of the known words is the same but for its ending: "shipped" and "shipping", "Mon" and "Monday". */
export function isKnownWord(word: string, known: KnownWords): boolean {
  const alike = known.get(word.slice(0, FIRST_LETTERS));
  return alike !== undefined && (alike.has(word) || [...alike].some((other) => isSameStem(word, other)));
}

function isSameStem(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  const stem = Math.max(FIRST_LETTERS, short.length - 3);
  return long.startsWith(short.slice(0, stem)) && long.length - stem <= 5;
}
