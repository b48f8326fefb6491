import { startsWithQuestion, startsWithVerb } from "./verbs.ts";

/** What people say around an instruction without meaning anything more by it. */
const LEADING = new RegExp(
  `^(?:${[
    "please",
    "kindly",
    "now",
    "next",
    "then",
    "and",
    "also",
    "so",
    "but first",
    "finally",
    "lastly",
    "first of all",
    "first(?:ly)?",
    "second(?:ly)?",
    "third(?:ly)?",
    "to (?:begin|start)(?: with)?",
    "after (?:that|this|which)",
    "afterwards?",
    "at the end",
    "in the end",
    "(?:once|when|after) (?:you(?:'re| are| have|'ve)? )?(?:there|done|finished|ready|logged in|signed in|that is done|it(?: has|'s)? (?:loads?|loaded|opens?|opened|appears?|appeared))",
    "when (?:it|the page|the results?) (?:is|are|has|have)? ?(?:loads?|loaded|opens?|ready|appears?)",
    "(?:could|can|would|will) you",
    "i(?:'d| would) like (?:you )?to",
    "i (?:want|need) (?:you )?to",
    "you (?:should|must|need to|have to|can|may)",
    "make sure (?:that )?(?:you|to)(?= )",
    "be sure to",
    "remember to",
    "go ahead and",
    "try to",
    "help me(?: to)?",
    "let's",
    "just",
    "simply",
    "directly",
    "your (?:task|job) is to",
    "in order",
    "carefully",
    "there",
    "on (?:the|this|that) (?:page|site|website|screen|next page|form|web page)",
    "in (?:the|this|that) (?:form|page|next step|browser|app)",
    "from there",
    "proceed to",
    "go and",
  ].join("|")})\\s*[,:]?\\s+`,
  "i",
);

const TRAILING = new RegExp(
  `[\\s,]*(?:\\b(?:${[
    "please",
    "thanks",
    "thank you",
    "for me",
    "now",
    "when (?:you(?:'re| are) )?(?:done|finished|ready)",
    "once (?:you(?:'re| are) )?(?:done|finished|ready)",
    "on (?:the|this|that) (?:page|site|website|screen|web page)",
    "(?:shown |given |displayed |listed )?below",
    "(?:shown |given |displayed |listed )?above",
    "at the end",
    "if (?:you are |it is )?(?:asked|prompted|needed|necessary|required)",
  ].join("|")}))[\\s.!?]*$`,
  "i",
);

/** Takes filler off the front as long as what remains still begins like an instruction or a question. */
export function stripLeadingFiller(clause: string): string {
  const text = clause.trim();
  const match = LEADING.exec(text);
  if (match === null) return text;
  const rest = stripLeadingFiller(text.slice(match[0].length));
  return startsWithVerb(rest) || startsWithQuestion(rest) || isWholeClause(rest) ? rest : text;
}

export function stripTrailingFiller(clause: string): string {
  const text = clause.trim().replace(/[\s.!?,;:]+$/, "");
  const cut = text.replace(TRAILING, "");
  return cut === text || cut === "" ? text : stripTrailingFiller(cut);
}

/** "A: B", which says a field and its value without any verb. */
function isWholeClause(text: string): boolean {
  return /^[^:=]{1,60}[:=]\s*\S/.test(text);
}
