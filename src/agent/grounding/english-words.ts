/**
 * The English words that decide something: what a task asks for, and what a button does. Each list is used in one meaning
 * only. Where two lists differ, the comment says why.
 */

/** Verbs that always change something on a site. */
const CHANGE_VERBS =
  "add|book|buy|cancel|change|clear|create|delete|disable|donate|edit|enable|invite|move|order|pay|place|post|publish|purchase|redeem|register|remove|rename|reply|reserve|save|send|set|sign (?:me |us |him |her |them )?up|submit|subscribe|transfer|turn o(?:n|ff)|unsubscribe|update|upload|vote|withdraw|write";
/** Verbs that change something in some sentences and not in others: "complete the order", "a complete list". */
const POSSIBLE_CHANGE_VERBS =
  "accept|apply|approve|ask|check ?out|complete|confirm|decline|empty|enrol|enroll|fill|get me|join|leave|make|message|put|rate|renew|request|review|schedule|share|switch|turn";
/** Verbs for what is done to a field. */
const ENTRY_VERBS = "enter|fill|put|switch|tick|type|untick";

const CHANGE_OBJECT = '(?:an?|the|my|me|us|this|that|it|all|every|one|two|three|\\d+|to|from|for|["“A-Z])';
const CHANGE_REQUEST = new RegExp(
  `(?:^|[.,;:!]\\s*|\\b(?:and|then|please|to|or)\\s+)(?:${CHANGE_VERBS}|empty)\\s+${CHANGE_OBJECT}`,
);

/** Whether a task clearly asks to change something: a verb in the imperative, with what it applies to. */
export function asksForChange(prompt: string): boolean {
  // "Add the mug": a capital only where a sentence starts.
  const plain = prompt.replace(
    /(^|[.!?:]\s+)([A-Z])/g,
    (_, before: string, letter: string) => before + letter.toLowerCase(),
  );
  return CHANGE_REQUEST.test(plain);
}

const CHANGE_MENTION = new RegExp(`\\b(?:${CHANGE_VERBS}|${ENTRY_VERBS}|apply|check out|confirm)\\b`, "i");

/** Whether a task names a change or an entry anywhere. It may be a noun, as in "my order". */
export function mentionsChange(prompt: string): boolean {
  return CHANGE_MENTION.test(prompt);
}

const QUESTION_WORDS = "what|which|who|whose|when|where|why";
const QUESTION = new RegExp(
  `(?:^|[.,;:!?]\\s+|\\b(?:and|then|please)\\s+)(?:${QUESTION_WORDS}|how|is|are|was|were|does|do|did|has|have|tell me|list|show me|find out|read|give me|look up|report)\\b`,
  "i",
);
/** After an article or a possessive it is a noun: "my order". Entry verbs do not count: typing a search changes nothing. */
const ANY_CHANGE = new RegExp(
  `(?<!\\b(?:is|are|was|were|been|does (?:it|he|she)|do (?:they|we|you|i)|a|an|the|my|your|our|their|its|his|her|this|that|last|latest|first|next|each|every)\\s+)\\b(?:${CHANGE_VERBS}|${POSSIBLE_CHANGE_VERBS})\\b`,
  "i",
);

/** Whether a task is clearly a question, with no word in it that may ask for a change. */
export function onlyAsks(prompt: string): boolean {
  return QUESTION.test(prompt.trim()) && !ANY_CHANGE.test(prompt);
}

const PRESSING = /\b(?:click|press|tap|push|hit)\b(?: on)?(?: the)?(?: button| link)?\s+["“'‘]?/gi;

/** Whether a task names the control that is to be clicked: 'Click "Apply".' */
export function asksToClick(prompt: string, label: string): boolean {
  const name = label.trim().toLowerCase();
  if (name === "") return false;
  return [...prompt.matchAll(PRESSING)].some(({ 0: words, index }) => {
    const rest = prompt.slice(index + words.length).toLowerCase();
    const end = /["“'‘]$/.test(words) ? /^["”'’]/ : /^(?![\p{L}\p{N}])/u;
    return rest.startsWith(name) && end.test(rest.slice(name.length));
  });
}

/** After these it is a noun: "the list", "my report", "mark it as read". */
const BEFORE_NOUN =
  "(?<!\\b(?:a|an|the|my|your|our|their|its|his|her|this|that|to|as|of|in|on|from|do|wish|shopping|mailing)[\\s-]+)";
/** Elsewhere "who", "which" or "when" only adds to what was named: "send it to Kim, who is in sales". */
const STARTS_QUESTION = `(?:(?:^|[.;:!\\n])\\s*|\\b(?:and|or|then|me|us|out|know|see|check|say|of)\\s+)(?:${QUESTION_WORDS})\\b|,\\s*(?:what|why)\\b`;
/** "Make a bulleted list" has the noun. A verb starts a clause, or says what of. */
const STARTS_CLAUSE = "(?:(?:^|[.;:!,(\\n])\\s*|\\b(?:and|or|then|please|also|you|finally|now|just|first|next)\\s+)";
const OF_WHAT = "(?=\\s+(?:all|each|every|both|the|their|its|them|what|which|who|how|where|when|whether|me|us|out)\\b)";
const READING = `${STARTS_CLAUSE}(?:list|report|read)\\b|${BEFORE_NOUN}\\b(?:list|report|read)\\b${OF_WHAT}`;
const INFORMATION = `\\?|${STARTS_QUESTION}|\\b(?:tell|how (?:many|much|long|far|old|often)|find out|summari[sz]e|(?:give|show) (?:me|us))\\b|${READING}`;
const ASKS_FOR_INFORMATION = new RegExp(INFORMATION, "i");
const MAY_ASK_FOR_ANSWER = new RegExp(
  `${INFORMATION}|\\bsend (?:me|us)\\b|\\b(?:look up|name|answer|say|count|compare|extract|return|get)\\b`,
  "i",
);

/** Whether a task asks for information. A planner must have a fact for it, so only clear words count. */
export function asksForInformation(prompt: string): boolean {
  return ASKS_FOR_INFORMATION.test(prompt);
}

/** The same with words that often mean something else. It only adds a criterion, so it may be generous. */
export function mayAskForAnswer(prompt: string): boolean {
  return MAY_ASK_FOR_ANSWER.test(prompt);
}

const STORED_VALUE_VERBS =
  "change|update|rename|edit|correct|turn (?:on|off)|switch (?:on|off)|enable|disable|(?:un)?subscribe";
const CHANGES_STORED_VALUE = new RegExp(`\\b(?:${STORED_VALUE_VERBS})\\b`, "i");
const KEEPS_VALUE = new RegExp(`\\b(?:${STORED_VALUE_VERBS}|set|save)\\b`, "i");

/** Whether a task means the value that the site stores, and not just what a field shows. */
export function asksToChangeStoredValue(prompt: string): boolean {
  return CHANGES_STORED_VALUE.test(prompt);
}

/** The same with "set", which may be about a filter: for callers that know the field is not one. */
export function asksToKeepValue(prompt: string): boolean {
  return KEEPS_VALUE.test(prompt);
}

const SAVING_VERBS = "save|update|apply changes|store";
const SAVING_LABEL = new RegExp(`\\b(?:${SAVING_VERBS})\\b`, "i");
const POSSIBLE_SAVING_LABEL = new RegExp(`\\b(?:${SAVING_VERBS}|apply(?! (?:now|for))|change|done)\\b`, "i");

/** Whether a button clearly stores what was entered. */
export function isSavingLabel(label: string): boolean {
  return SAVING_LABEL.test(label);
}

/** The same with "apply" and "done", which filters use too: for callers that know the field is not a filter. */
export function maySaveLabel(label: string): boolean {
  return POSSIBLE_SAVING_LABEL.test(label);
}

const CREATING_VERBS =
  "add|apply (?:now|for)|bid|book|buy|check ?out|create|donate|invite|order|pay|place|post|publish|purchase|redeem|register|request|reserve|send|sign up|subscribe|transfer|upload|vote|withdraw";
const CREATING_LABEL = new RegExp(`^(?:${CREATING_VERBS})\\b`, "i");
const COMMIT_LABEL = new RegExp(
  `^(?:yes,? )?(?:confirm (?:and )?)?(?<verb>${CREATING_VERBS}|cancel|delete|remove|unsubscribe)\\b`,
  "i",
);

/** Whether a button makes something new of what was entered, so that its form starts again at its defaults. */
export function isCreatingLabel(label: string): boolean {
  return CREATING_LABEL.test(label.trim());
}

/** The verb of a button with a lasting effect. Buttons that search, filter or consent have none. */
export function findCommitVerb(label: string): string | null {
  return COMMIT_LABEL.exec(label.trim())?.groups?.["verb"]?.toLowerCase() ?? null;
}

const QUOTED = /"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|‘[^’]*’|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])|`[^`]*`/gu;

/** A task without the texts that it quotes: they are to be written or read, and ask for nothing. */
export function withoutQuotedText(prompt: string): string {
  return prompt.replace(QUOTED, " ");
}

/** The texts that a task quotes. */
export function quotedIn(prompt: string): string[] {
  return (prompt.match(QUOTED) ?? []).map((quoted) => quoted.slice(1, -1));
}

const NEGATION = /(?<![\p{L}\d])(?:not|no|never|without|non|un(?:available|checked))(?![\p{L}\d])|n['’]t\b/iu;

export function hasNegation(text: string): boolean {
  return NEGATION.test(text);
}

/** Whether the word before a text negates it. "No" before a number is short for it: "Order no 12". */
export function isNegatedBy(before: string, text: string): boolean {
  return hasNegation(before) && !(/^no\.?$/i.test(before) && /\d/.test(text));
}

const NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety hundred".split(" ");

/** "two" is 2, "both" is 2, "fifty" is 50; null for any other word. */
export function parseNumberWord(text: string): number | null {
  const word = text.toLowerCase();
  if (word === "single") return 1;
  if (word === "both") return 2;
  const [small, tens] = [NUMBER_WORDS.indexOf(word), TENS.indexOf(word)];
  if (small !== -1) return small;
  return tens === -1 ? null : (tens + 2) * 10;
}
