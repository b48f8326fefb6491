import { fold, stemNoun } from "../grounding/names.ts";

/** What happens to something, or who does it, as a question says it. */
export interface Happening {
  readonly kind: "when" | "who";
  /** "delivered", "owns"; of people, "assigned to" asks for the one at the other end. */
  readonly verb: string;
  /** It has happened, and is not only planned. */
  readonly isPast: boolean;
}

/**
 * Whether a label answers it. "planned": it may also name what is yet to happen or who is yet to do it, as "Delivery" and
 * "Approver" do. Null: it is about something else, or says it the other way round, as "Paid to" does for "Who paid?".
 */
export function readVerbLabel(label: string, happening: Happening, subject: string): "said" | "planned" | null {
  const { kind, verb, isPast } = happening;
  const words = fold(label)
    .split(/[^\p{L}]+/u)
    .filter(Boolean);
  const forms = words.map((word) => formOf(word, verb.replace(/ to$/, "")));
  const own = ` ${stemNoun(subject)} `;
  const isOwn = (word: string) => own.includes(` ${stemNoun(word)} `);
  const beside = words.filter((word, index) => forms[index] === null && !isOwn(word));
  if (forms.every((form) => form === null)) return null;
  if (kind === "who") return readPerson(happening, new Set(forms), beside);
  if (forms.includes("agent") || !beside.every((word) => BESIDE_DATES.has(word) || word === (isPast ? "last" : "next")))
    return null;
  const isSaid = forms.includes("past") || verb === "due";
  // "When does it renew?" is not about when it was renewed.
  return isPast ? (isSaid ? "said" : "planned") : isSaid && !isPastForm(verb) && verb !== "due" ? null : "said";
}

type Form = "past" | "agent" | "other end" | "plain";

/** "Owner" and "Owned by" of "own". */
function readPerson({ verb, isPast }: Happening, forms: ReadonlySet<Form | null>, beside: readonly string[]) {
  const plain = beside.filter((word) => !BESIDE_PEOPLE.has(word)).join(" ");
  if (verb.endsWith(" to")) return isOtherEnd(verb, forms, plain) ? "said" : null;
  if (forms.has("other end")) return null;
  if (forms.has("agent")) return plain !== "" ? null : isPast && !isMaking(verb) ? "planned" : "said";
  const isPerson = !isPast && PEOPLE.has(verb.replace(/e?s$/, "")) && plain === "";
  return plain === "by" || isPerson ? "said" : null;
}

/** "Assignee" and "Assigned to" of "assigned to". */
function isOtherEnd(verb: string, forms: ReadonlySet<Form | null>, plain: string): boolean {
  if (forms.has("agent")) return false;
  return plain === "to" || (plain === "" && (forms.has("other end") || (forms.has("past") && /^assign/.test(verb))));
}

/** What stands beside the verb and changes nothing: "Renewal date", but not "Renewal reminder", and not "Pay by". */
const BESIDE_DATES = new Set(["on", "at", "of", "the", "date", "day", "time", "is", "was"]);
const BESIDE_PEOPLE = new Set(["of", "the", "is", "was"]);
/** Words for people that are also verbs. "Support: Basic" is nobody. */
const PEOPLE = new Set("captain chair coach guide head host judge lead mentor pilot sponsor tutor".split(" "));
/** Without these there would be nothing to ask about. */
const MAKING = new Set("create write make report request record register upload post found".split(" "));

function isMaking(verb: string): boolean {
  return [...MAKING].some((made) => formOf(made, verb) !== null);
}

const IRREGULAR = new Map(
  "pay paid, send sent, write wrote written, begin began begun, run ran, make made, build built, sell sold, buy bought, take took taken, lead led, give gave given, hold held, do did done, win won, leave left, teach taught"
    .split(", ")
    .flatMap((line) => {
      const [verb = "", ...past] = line.split(" ");
      return past.map((form) => [form, verb] as const);
    }),
);

/** "delivered", "sent" */
export function isPastForm(verb: string): boolean {
  return IRREGULAR.has(verb.toLowerCase()) || /[^e]ed(?: to)?$/i.test(verb);
}

const VERB_END = /(?:ing|ied|ies|ed|es|s|e|y)$/;
const ENDS: readonly (readonly [RegExp, Form])[] = [
  [/^(?:ed|ied)$/, "past"],
  [/^(?:er|or)$/, "agent"],
  [/^ee$/, "other end"],
  [/^(?:e|s|es|y|ies|ing|al|ion|ation|ment)?$/, "plain"],
];

/** "Renewal" and "Renews" are of "renew"; "Owner" of "own". Null for a word that has nothing to do with the verb. */
export function formOf(word: string, verb: string): Form | null {
  const [said, asked] = [word.toLowerCase(), verb.toLowerCase()];
  const known = IRREGULAR.get(asked) ?? asked;
  if (IRREGULAR.has(said)) return IRREGULAR.get(said) === known ? "past" : null;
  if (said === "author") return known.startsWith("writ") ? "agent" : null;
  const bare = known.replace(VERB_END, "");
  const root = (bare.length < 3 ? known : bare).replace(/([^ls])\1$/, "$1");
  if (!said.startsWith(root)) return null;
  const rest = said.slice(root.length);
  const ends = [rest, ...(rest[0] === root.at(-1) ? [rest.slice(1)] : [])];
  return ENDS.find(([pattern]) => ends.some((end) => pattern.test(end)))?.[1] ?? null;
}
