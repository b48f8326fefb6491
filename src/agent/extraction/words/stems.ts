const ENDINGS = ["ations", "ation", "ings", "ing", "ies", "als", "al", "ed", "es", "ity", "ly", "y", "s", "e"];
const STOP = new Set(
  "a an the of for in on at to by from with and or is are was were be been do does did has have had it its this that these those which what who whose my your our their me you all each every any please there as".split(
    " ",
  ),
);

/** The words of a label, a property name or a phrase: lower case, without articles and endings. */
export function toStems(text: string): string[] {
  const words = splitWords(text);
  const meaningful = words.filter((word) => !STOP.has(word));
  return (meaningful.length > 0 ? meaningful : words).map(toStem);
}

/** camelCase, snake_case and kebab-case fall apart; accents and apostrophes go. */
function splitWords(text: string): string[] {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f'’]/g, "")
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .replace(/\be-mail/g, "email")
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/** Crude on purpose: "arrive", "arrival" and "arriving" need only come out the same. */
export function toStem(word: string): string {
  for (const ending of ENDINGS) {
    if (word.endsWith(ending) && word.length - ending.length >= 3 && !word.endsWith("ss")) {
      return toStem(word.slice(0, -ending.length));
    }
  }
  return word;
}
