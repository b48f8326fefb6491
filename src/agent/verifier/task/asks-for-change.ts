const VERB =
  "add|book|buy|cancel|change|clear|create|delete|disable|edit|empty|enable|move|order|pay|place|post|purchase|register|remove|rename|reply|reserve|save|send|set|sign up|submit|subscribe|transfer|turn o(?:n|ff)|unsubscribe|update|upload|write";
const THING = '(?:an?|the|my|this|that|it|all|every|one|two|three|\\d+|to|from|for|["“A-Z])';
const CHANGE = new RegExp(`(?:^|[.,;:!]\\s*|\\b(?:and|then|please|to|or)\\s+)(?:${VERB})\\s+${THING}`);

/** Whether a task tells to change something on the site, and not only to find something out. */
export function asksForChange(prompt: string): boolean {
  // "Add the mug": a capital only where a sentence begins.
  const plain = prompt.replace(
    /(^|[.!?:]\s+)([A-Z])/g,
    (_, before: string, letter: string) => before + letter.toLowerCase(),
  );
  return CHANGE.test(plain);
}
