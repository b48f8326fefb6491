const ENDINGS = ["ations", "ation", "ings", "ing", "ies", "als", "al", "ed", "es", "ity", "ly", "y", "s", "e"];
const STOP = new Set(
  "a an the of for in on at to by from with and or is are was were be been do does did has have had it its this that these those which what who whose my your our their me you all each every any please there as".split(
    " ",
  ),
);

/** The words of a label, a property name or a phrase: lower case, without articles and endings. */
function toStems(text: string): string[] {
  const words = splitWords(text);
  const meaningful = words.filter((word) => !STOP.has(word));
  return (meaningful.length > 0 ? meaningful : words).map(toStem);
}

/** Splits camelCase, snake_case and kebab-case; drops accents and apostrophes. */
export function splitWords(text: string): string[] {
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

/** Crude on purpose: "arrive", "arrival" and "arriving" only have to give the same stem. */
function toStem(word: string): string {
  for (const ending of ENDINGS) {
    if (word.endsWith(ending) && word.length - ending.length >= 3 && !word.endsWith("ss")) {
      return toStem(word.slice(0, -ending.length));
    }
  }
  return word;
}

/** Words that name the same thing on different sites; the first of each line stands for all of them. */
const CONCEPTS: readonly string[] = [
  "price cost amount fee charge",
  "total sum",
  "title name product headline subject",
  "url link href permalink website",
  "date day when time",
  "quantity qty count pieces units",
  "availability available stock instock",
  "rating rated stars score",
  "description summary details snippet text body excerpt about",
  "number no nr id identifier reference ref code",
  "image picture photo img thumbnail",
  "email mail",
  "phone telephone tel mobile",
  "status state",
  "author writer by",
  "category kind type group section",
  "placed ordered purchased bought",
  "arrival arrive delivery delivered eta",
  "shipping postage",
  "zip postcode postal",
];

const CONCEPT_OF = new Map(
  CONCEPTS.flatMap((line) => {
    const [first = "", ...others] = line.split(" ");
    return [first, ...others].map((word) => [toStem(word), toStem(first)] as const);
  }),
);

/** A phrase, ready to be compared many times. */
export interface Phrase {
  readonly stems: ReadonlySet<string>;
  readonly concepts: ReadonlySet<string>;
}

export function toPhrase(text: string): Phrase {
  const stems = toStems(text);
  return { stems: new Set(stems), concepts: new Set(stems.map(toConcept)) };
}

function toConcept(stem: string): string {
  return CONCEPT_OF.get(stem) ?? stem;
}
