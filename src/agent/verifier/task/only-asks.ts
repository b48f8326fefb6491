const WISH =
  /(?:^|[.,;:!?]\s+|\b(?:and|then|please)\s+)(?:what|which|how|when|where|who|whose|why|is|are|was|were|does|do|did|has|have|tell me|list|show me|find out|read|give me|look up|report)\b/i;
const VERB =
  "accept|add|apply|approve|ask|book|buy|cancel|change|check ?out|clear|complete|confirm|create|decline|delete|disable|donate|edit|empty|enable|enrol|enroll|fill|get me|invite|join|leave|make|message|move|order|pay|place|post|purchase|put|rate|register|remove|rename|renew|reply|request|reserve|review|save|schedule|send|set|share|sign (?:me |us |him |her |them )?up|submit|subscribe|switch|transfer|turn|unsubscribe|update|upload|vote|withdraw|write";
/** Behind such a word it is a thing: "my order". */
const CHANGE = new RegExp(
  `(?<!\\b(?:a|an|the|my|your|our|their|its|his|her|this|that|last|latest|first|next|each|every)\\s+)\\b(?:${VERB})\\b`,
  "i",
);

/** Whether a task is plainly a wish to know, with no word in it that may ask for a change. */
export function onlyAsks(prompt: string): boolean {
  return WISH.test(prompt.trim()) && !CHANGE.test(prompt);
}
