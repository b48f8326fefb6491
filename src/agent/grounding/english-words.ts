import type { StepCause } from "../actions/side-effects.ts";

const CHANGE_VERBS =
  "add|book|buy|cancel|change|clear|create|delete|disable|edit|empty|enable|move|order|pay|place|post|purchase|register|remove|rename|reply|reserve|save|send|set|sign up|submit|subscribe|transfer|turn o(?:n|ff)|unsubscribe|update|upload|write";
const CHANGE_OBJECT = '(?:an?|the|my|this|that|it|all|every|one|two|three|\\d+|to|from|for|["“A-Z])';
const CHANGE_REQUEST = new RegExp(
  `(?:^|[.,;:!]\\s*|\\b(?:and|then|please|to|or)\\s+)(?:${CHANGE_VERBS})\\s+${CHANGE_OBJECT}`,
);

/** Whether a task tells to change something on the site, and not only to find something out. */
export function asksForChange(prompt: string): boolean {
  // "Add the mug": a capital only where a sentence begins.
  const plain = prompt.replace(
    /(^|[.!?:]\s+)([A-Z])/g,
    (_, before: string, letter: string) => before + letter.toLowerCase(),
  );
  return CHANGE_REQUEST.test(plain);
}

const QUESTION =
  /(?:^|[.,;:!?]\s+|\b(?:and|then|please)\s+)(?:what|which|how|when|where|who|whose|why|is|are|was|were|does|do|did|has|have|tell me|list|show me|find out|read|give me|look up|report)\b/i;
const ANY_CHANGE_VERBS =
  "accept|add|apply|approve|ask|book|buy|cancel|change|check ?out|clear|complete|confirm|create|decline|delete|disable|donate|edit|empty|enable|enrol|enroll|fill|get me|invite|join|leave|make|message|move|order|pay|place|post|purchase|put|rate|register|remove|rename|renew|reply|request|reserve|review|save|schedule|send|set|share|sign (?:me |us |him |her |them )?up|submit|subscribe|switch|transfer|turn|unsubscribe|update|upload|vote|withdraw|write";
/** Behind such a word it is a thing: "my order". */
const ANY_CHANGE = new RegExp(
  `(?<!\\b(?:a|an|the|my|your|our|their|its|his|her|this|that|last|latest|first|next|each|every)\\s+)\\b(?:${ANY_CHANGE_VERBS})\\b`,
  "i",
);

/** Whether a task is plainly a wish to know, with no word in it that may ask for a change. */
export function onlyAsks(prompt: string): boolean {
  return QUESTION.test(prompt.trim()) && !ANY_CHANGE.test(prompt);
}

const CREATING_LABEL =
  /^(?:add|buy|order|book|reserve|send|post|place|pay|check ?out|sign up|register|subscribe|create|invite|donate|request|apply (?:now|for))\b/i;

/** Whether a step makes something new of what was entered: the form then starts again at its defaults. */
export function createsRecord({ call: { input } }: Pick<StepCause, "call">): boolean {
  return typeof input["label"] === "string" && CREATING_LABEL.test(input["label"].trim());
}
