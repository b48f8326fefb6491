import { toPhrase } from "./similarity.ts";

/** What sites do with what they are sent, as a part of a regular expression. */
export const DONE =
  "(?:saved|added|placed|sent|updated|deleted|removed|booked|changed|accepted|processed|completed|created|submitted|cancell?ed|published|posted|received|delivered|registered|confirmed|recorded|subscribed|uploaded|stored|reserved|ordered|purchased|scheduled|enrolled|redeemed|transferred|renewed)";

const IRREGULAR =
  "bought|built|cast|cut|done|given|gone|held|hired|kept|left|lent|made|met|put|rent|sold|spent|taken|withdrawn|won|written";
/** Any participle, but not of what sites promise not to do, and of what they have still to find or to get. */
const PARTICIPLE = `(?!(?:charged|billed|debited|taken|paid|lost|shared|affected|found|detected|reported|reviewed|rated|verified|read|used|visited|interested|needed|required|started|assigned|finished)\\b)(?:\\p{L}{2,}ed|${IRREGULAR})\\b`;

/**
 * How sites say that they have not done what they were asked to do, whatever that was. "No reviews have been written yet" is
 * about something else.
 */
const REFUSALS: readonly RegExp[] = [
  new RegExp(`\\bnothing (?:was|has been|could be) (?:\\p{L}+ly )?${PARTICIPLE}`, "u"),
  new RegExp(`\\b(?:has|have)(?: not|n['’]t) been ${PARTICIPLE}(?! yet\\b)`, "u"),
  new RegExp(`\\bno (?:\\p{L}+ ){1,3}(?:was|were|has been|have been) ${PARTICIPLE}(?! yet\\b)`, "u"),
  // Of what was just sent: "Last payment: declined" is about an earlier one.
  /\b(?:it|this|your (?:\p{L}+ ){1,3})\s?(?:was|were|has been|have been|is) (?:declined|rejected|refused|denied)\b/u,
];
const LIMIT =
  /\b(?:reached|exceeded|hit|used up) (?:the|your|its|our) (?:[\p{L}-]+ ){0,3}(?:limit|maximum|quota|allowance)\b/u;

/** The words by which a text says that something was not done, also in a sentence that thanks for it; null when it does not. */
export function findNotDone(text: string): string | null {
  const words = toWords(text);
  const found = REFUSALS.map((form) => form.exec(words)?.[0]).find((match) => match !== undefined);
  // "Added. You have reached the limit now."
  return found ?? (new RegExp(`\\b${DONE}\\b`).test(words) ? null : (LIMIT.exec(words)?.[0] ?? null));
}

/**
 * How sites say that something did not work, also with status 200. Each form is the sign of a message to the person who
 * sent something, and not of a text about failures: "is required", but not "requirements".
 */
const FAILURES: readonly RegExp[] = [
  /^(?:error|failed|failure|warning|oops|sorry|unfortunately)\b/,
  /\b(?:something|that) went wrong\b/,
  /\b(?:is|are|was|were|be|has been|have been) (?:now |currently |already |not |no longer )?(?:required|invalid|missing|incorrect|closed|full|sold out|rejected|denied|declined|expired|unavailable|forbidden|refused|blocked|disabled|suspended|mandatory)\b/,
  /\b(?:can ?not|can['’]t|could not|couldn['’]t|unable to|failed to|not possible|not permitted|not allowed|not authori[sz]ed|not available|not found|no longer)\b/,
  new RegExp(`\\b(?:was|were|is|has|have)(?: not|n['’]t)(?: been| yet been)? ${DONE}\\b`),
  /\bmust (?:be|not|have|contain|match|agree|accept|select|enter|provide|sign|log)\b/,
  /\bplease (?:enter|select|choose|fill|check|correct|provide|try|sign in|log in|complete|specify|fix|contact)\b/,
  /\b(?:try again|already (?:exists|taken|in use|registered)|too (?:short|long|many|large|late|early)|out of stock|access denied)\b/,
];

/** The stems of the words of a task, where it is known. */
type Asked = ReadonlySet<string>;
const UNKNOWN: Asked = new Set();

/** The words by which a text says that something did not work; null when it does not, or when that is what was asked for. */
export function findFailure(text: string, asked = UNKNOWN): string | null {
  const words = withoutAsked(toWords(text), asked);
  for (const form of FAILURES) {
    const found = form.exec(words)?.[0];
    if (found !== undefined) return found;
  }
  return findNotDone(words);
}

function toWords(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ").trim();
}

/** What a thing is now: "closed", "no longer subscribed". */
const RESULT = new RegExp(
  `\\b(?:is|are|was|were|has been|have been|you['’]ve been) (?:(?:now|already|successfully) )*(no longer )?(${PARTICIPLE})`,
  "gu",
);

/** "Your account is now closed." for "Close my account", and "You are no longer subscribed." for "Unsubscribe me". */
function isResult(notNow: string | undefined, participle: string, asked: Asked): boolean {
  const [stem = ""] = toPhrase(participle).stems;
  return notNow === undefined ? asked.has(stem) : asked.has(`un${stem}`) || asked.has(`dis${stem}`);
}

function withoutAsked(words: string, asked: Asked): string {
  if (asked.size === 0) return words;
  return words.replace(RESULT, (whole, notNow: string | undefined, participle: string) =>
    isResult(notNow, participle, asked) ? "" : whole,
  );
}

/** How sites say that something worked. */
const SUCCESSES: readonly RegExp[] = [
  new RegExp(`\\b(?:has|have|was|were|is|are)(?: now| been| successfully| been successfully)* ${DONE}\\b`),
  /\b(?:successful(?:ly)?|success(?=\s*(?:[.!,:;–-]|$))|thank you|thanks for|confirmation|confirmed)\b/,
  /^(?:[\p{L}\p{N}“”"'’.:#-]+ ){0,6}(?:saved|added|placed|sent|updated|deleted|removed|booked|changed|created|submitted|cancell?ed|published|posted|received|registered|recorded|stored)(?: to .{1,40}| in .{1,40}| for .{1,40})?[.!]*$/u,
  // "Subscribed: jo@example.com". "Created:" and "Updated:" are labels of dates.
  /^(?:saved|booked|registered|stored|submitted|subscribed): \S/,
];

/** The words by which a text says that something worked; null when it does not. */
export function findSuccess(text: string): string | null {
  const words = toWords(text);
  for (const form of SUCCESSES) {
    const found = form.exec(words)?.[0];
    if (found !== undefined) return found;
  }
  return null;
}

/** Other ways to thank or to confirm. Alone they also stand where nothing was sent, so they count only after something was. */
const CONFIRMATIONS: readonly RegExp[] = [
  new RegExp(
    `\\b(?:you|we|they|it|that|i)['’](?:re|s|ve) (?:now |been |all |successfully )*(?:in|set|done|on the list|${DONE.slice(3, -1)})\\b`,
  ),
  /\b(?:all set|all done|check your (?:e-?mail|inbox|mail)|we['’]ll (?:be in touch|get back|let you know|reply|contact|e-?mail)|we will (?:be in touch|get back|let you know|reply|contact|e-?mail)|got your|on (?:its|the|their) way|see you (?:there|then|soon|on|at)|welcome aboard|good choice|in the queue|waiting for approval|pending approval)\b/,
  /^(?:thanks?|congratulations)\b[^?]*$/,
  // Not "Success stories" and not "Great coffee".
  /^(?:done|success|great|ok(?:ay)?)(?:[.!,:;–-][^?]*)?$/,
  new RegExp(
    `^(?:[\\p{L}\\p{N}“”"'’.:#-]+ ){0,8}(?:${DONE.slice(3, -1)})(?: (?:to|in|for|by|on|at|with|from|until) .{1,60})?[.!]*$`,
    "u",
  ),
];

/** "0 rows updated": the site did what it was told, and it changed nothing. */
const NOTHING_CHANGED = new RegExp(
  `(?<![\\d.,])(?:0|zero|no) (?!longer\\b)(?:\\p{L}+ ){1,3}(?:${DONE.slice(3, -1)}|affected)\\b`,
  "u",
);

/** "Query executed OK, 1 row affected." after a click on "Execute": a short form of "The query was executed." */
const SHORT_RESULT = new RegExp(
  `^(?:(?!not\\b|never\\b|nothing\\b|no\\b)[\\p{L}\\p{N}“”"'’#-]+ ){0,4}(${PARTICIPLE})(?: (?:ok|successfully|correctly))?(?=[.,!]|$)`,
  "u",
);

/** The same for what a page says after something was sent to it, or that what the task asks for is so now. */
export function findConfirmation(text: string, asked = UNKNOWN): string | null {
  const words = toWords(text);
  if (findFailure(words, asked) !== null || NOTHING_CHANGED.test(words)) return null;
  const found =
    findSuccess(words) ?? CONFIRMATIONS.map((form) => form.exec(words)?.[0]).find((each) => each !== undefined);
  if (found != null) return found;
  const result = words.matchAll(RESULT).find(([, notNow, participle = ""]) => isResult(notNow, participle, asked));
  if (result !== undefined) return result[0];
  const short = SHORT_RESULT.exec(words);
  return short !== null && isResult(undefined, short[1] ?? "", asked) ? short[0] : null;
}
