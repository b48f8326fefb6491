import { isKey } from "../check-steps.ts";
import { capitalize } from "../names.ts";
import type { Step } from "../step.ts";
import { splitAt, type Token, textOf } from "./clauses.ts";
import { atLeastTwo, isMixed, type Pair, readPairs } from "./pairs.ts";
import { createForms, type Form, firstWords, matchPattern, readFirst } from "./pattern.ts";
import { isQuestion, readQuestion, readRequest } from "./questions.ts";
import { readStatement } from "./statements.ts";
import { nameOf, readTarget, saysMore } from "./targets.ts";

/**
 * The whole grammar: one sentence form a line, with what it becomes and an example. The first form that fits a clause counts.
 * Questions and lists have their own pages, questions.ts and lists.ts; docs/steps.md shows the examples, and a test reads them.
 */
export interface Rule extends Form<Step[]> {
  /** An empty string for another way to say what the line above has an example for. */
  readonly example: string;
}

const DIALOG = "dialog|dialogue|pop-up|popup|alert|prompt|question|confirmation|message";

const form = createForms({
  target: readTarget,
  name: nameOf,
  /** What is entered: as written. */
  value: (tokens, prompt) => (isMixed(tokens) ? null : textOf(tokens, prompt)),
  plainValue: (tokens, prompt) => (isMixed(tokens) || saysMore(tokens) ? null : textOf(tokens, prompt)),
  key: readKey,
  seconds: readSeconds,
  place: readPlace,
  path: readPath,
  intoPairs: (tokens, prompt) => readPairs(tokens, prompt, ["into"]),
  // "in" and "as" are words of values too.
  inPairs: (tokens, prompt) => atLeastTwo(readPairs(tokens, prompt, ["into", "in", "as"])),
  optionPairs: (tokens, prompt) => atLeastTwo(readPairs(tokens, prompt, ["in", "from", "for", "as"])),
  labelledPairs: (tokens, prompt) => readPairs(tokens, prompt, [":", "="], true),
  withPairs: (tokens, prompt) => readPairs(tokens, prompt, ["with"], true),
  toPairs: (tokens, prompt) => readPairs(tokens, prompt, ["to"], true),
  statement: readStatement,
  request: (tokens, prompt) => readRequest(tokens, prompt, false),
  list: (tokens, prompt) => readRequest(tokens, prompt, true),
  /** A value of something named, or a list: "find Larch" says nothing about where to look. */
  wanted: (tokens, prompt) => {
    const read = readRequest(tokens, prompt, false);
    return read?.every((step) => "collect" in step || ("read" in step && step.read.row !== undefined)) ? read : null;
  },
});

type Make = (slots: never) => Step | Step[];

/** Without `make`, the slots are the step: "{click:target}" is a step that clicks. */
function rule(source: string, example: string, make: Make = (slots) => slots): Rule {
  return { ...form(source, (slots) => [make(slots as never)].flat()), example };
}

/** A step of a kind that has the slots as its fields. */
function as(kind: string, fields: object = {}): Make {
  return (slots: object) => ({ [kind]: { ...fields, ...slots } }) as unknown as Step;
}

/** A step for each pair of a field and its value. */
function each(kind: "fill" | "select"): Make {
  return ({ pairs }: { pairs: readonly Pair[] }) => pairs.map((pair) => ({ [kind]: pair }) as unknown as Step);
}

function always(...steps: Step[]): Make {
  return () => steps;
}

function steps({ steps: read }: { steps: Step[] }): Step[] {
  return read;
}

export const GRAMMAR: readonly Rule[] = [
  // Going somewhere
  rule("(go|navigate|browse|open|click) [to] {steps:path}", "Go to Settings > Billing.", steps),
  rule("go back [to the previous page|to the page before]", "Go back.", always({ back: true })),
  rule("(reload|refresh) [the page|this page|it]", "Reload the page.", always({ reload: true })),
  rule("(go|navigate|browse) to [the page|the url|page|url] {steps:place}", "Go to /wiki/Help:Contents.", steps),
  rule("(open|visit) [the page|the url|page|url] {steps:place}", "Open Your orders.", steps),

  // Clicking
  rule("(double-click|doubleclick|double click) [on] {double_click:target}", "Double-click Larch."),
  rule("press [the] {press:key} [key]", "Press Enter."),
  rule("press [the] {key} [key] in {target}", "Press Escape in the search box.", as("press")),
  rule("(click|press|tap|push|hit) [on] {click:target}", "Click Delete in the row of Larch."),
  rule("(expand|unfold|follow) {click:target}", "Expand Details."),
  rule(
    `close [the|this] (${DIALOG})`,
    "Close the dialog.",
    always({ click: { name: "Close", within: { dialog: true } } }),
  ),
  rule("submit [it|the form|this form]", "Submit the form.", always({ click: { role: "submit button" } })),
  rule(
    "save [it|this|the form|the page|changes|the changes|my changes|the settings|my settings|the profile|my profile|the details|my details]",
    "Save the changes.",
    always({ click: { role: "button", name: "Save" } }),
  ),
  rule(
    "send [it|this|the form|the message|my message]",
    "Send the message.",
    always({ click: { role: "button", name: "Send" } }),
  ),
  rule(
    "(sign|log) in as {user} with [the] password {password}",
    "Sign in as jo with the password secret.",
    as("sign_in"),
  ),
  rule("(sign|log) in with [the] [user name|username|email] {user} and [the] password {password}", "", as("sign_in")),

  // Filling in
  rule("search for {value} in {target}", "Search for oak in the search box.", as("fill", { submit: true })),
  rule(
    "(search|look) (for|up) {value:text}",
    "Search for kettle.",
    as("fill", { target: { role: "search field" }, submit: true }),
  ),
  rule("search {target} for {value}", "", as("fill", { submit: true })),
  rule(
    "(replace|change) (every|all|each) [occurrence of|occurrences of] {replace} (with|by|to|into) {with} in {target}",
    'Replace all "colour" with "color" in the text area.',
    as("edit", { all: true }),
  ),
  rule("replace {replace} (with|by) {with} in {target}", 'Replace "May" by "June" in Notes.', as("edit")),
  rule(
    "(insert|add|put) {insert} (after|behind) {after} in {target}",
    'Insert " (draft)" after "Report" in Title.',
    as("edit"),
  ),
  rule("append {append} to [the end of] {target}", 'Append "See also: Oak" to the text area.', as("edit")),
  rule("add {append} (to|at) the end of {target}", "", as("edit")),
  rule("(clear|empty) {target}", "Clear the Notes field.", as("edit", { clear: true })),
  rule(
    "(type|enter|write|put|input) {pairs:intoPairs}",
    "Type Jo into First name and Doe into Last name.",
    each("fill"),
  ),
  rule("(type|enter|write|put|input) {pairs:inPairs}", "", each("fill")),
  rule("(type|enter|write|put|input) {value} (into|in|to|as) {target}", "Enter 5 in Quantity.", as("fill")),
  rule(
    "fill [in|out] [the form|this form] with {pairs:labelledPairs}",
    "Fill in the form with name: Jo, city: Ghent.",
    each("fill"),
  ),
  rule("fill [in|out] {pairs:withPairs}", "Fill in Name with Jo and City with Ghent.", each("fill")),
  rule("(set|change|update) {pairs:toPairs}", "Set Quantity to 2.", each("fill")),
  rule("(type|enter|write) {value:plainValue}", 'Type "hello".', as("fill", { target: { role: "field" } })),

  // Choosing
  rule("(select|choose|pick) {pairs:optionPairs}", "Select Blue in Colour and Large in Size.", each("select")),
  rule("(select|choose|pick) {value:text} (from|in|for|as|under) {target}", "Select Blue from Colour.", as("select")),
  rule("(select|choose|pick) {value:name}", "Choose On invoice.", as("select")),
  rule(
    "(check|verify|ensure|confirm|assert|make sure|check if) that {expect:statement}",
    'Check that the page says "Saved".',
  ),
  rule("make sure {expect:statement}", ""),
  rule("(uncheck|untick|disable|deselect|turn off|switch off) {uncheck:target}", "Untick Newsletter."),
  rule("(check|tick|enable|turn on|switch on) {check:target}", "Tick Gift wrap."),

  // Other input
  rule("(hover|move the mouse|point) [over|on|to|at] {hover:target}", "Hover over Products."),
  rule(
    "upload [a file|the file|file] [called|named] {name:text} (with|containing) [the text|the content|text] {content} (to|into|in|as) {target}",
    'Upload a file named notes.txt with the text "hello" to Attachment.',
    as("upload"),
  ),
  rule("scroll down", "Scroll down.", always({ scroll: "down" })),
  rule("scroll up", "", always({ scroll: "up" })),
  rule("scroll to the (bottom|end) [of the page|of the list]", "Scroll to the bottom.", always({ scroll: "bottom" })),
  rule("scroll to the top [of the page|of the list]", "", always({ scroll: "top" })),
  rule(`(accept|confirm) [it|this|the|this] [${DIALOG}]`, "Accept the dialog.", always({ dialog: "accept" })),
  rule("(say|answer) (yes|ok|okay)", "", always({ dialog: "accept" })),
  rule(
    `answer [the|this] (${DIALOG}) with {text}`,
    'Answer the dialog with "Soups".',
    ({ text }: { text: string }) => ({
      dialog: "accept",
      text,
    }),
  ),
  rule(`(dismiss|cancel|reject) [it|the|this] (${DIALOG})`, "Dismiss the dialog.", always({ dialog: "dismiss" })),

  // Waiting
  rule("wait [for] {seconds} (second|seconds)", "Wait 2 seconds.", as("wait_for")),
  rule(
    "wait (until|for|till) {gone:name} (is gone|has gone|disappears|to disappear|vanishes)",
    "Wait until Loading is gone.",
    as("wait_for"),
  ),
  rule(
    "wait (until|for|till) {text:name} (appears|to appear|is shown|is visible|shows up)",
    "Wait until Done appears.",
    as("wait_for"),
  ),
  rule("wait (until|for|till) [the page says|it says] {text:name}", "Wait for Results.", as("wait_for")),

  // Asking
  rule("(tell|give|show) me {steps:request}", "Tell me its price.", steps),
  rule("(find|work) out {steps:request}", "Find out what it costs.", steps),
  rule("find {steps:wanted}", "Find the price of Larch.", steps),
  // For output_schema: the data itself is found by the names in the schema.
  rule(
    "(extract|get|read) [all] [the] (data|details|information) [on|of|from|about] [the page|this page|it]",
    "Extract the data from this page.",
    always(),
  ),
  rule("(list|collect|extract) {steps:list}", "List the name and price of all products under €15.", steps),
  rule("(read|get|report|return|note|say) {steps:request}", "Read the order number.", steps),
];

/** By first word, so that a clause is compared with few forms. */
const RULES_BY_WORD = Map.groupBy(
  GRAMMAR.flatMap((own) => [...new Set(firstWords(own.pattern))].map((word) => ({ word, own }))),
  ({ word }) => word,
);

/** Whether a sentence of the grammar can begin with this word. */
export function isVerb(word: string): boolean {
  return RULES_BY_WORD.has(word);
}

/** Null when the clause has no form of the grammar. */
export function readClause(tokens: readonly Token[], prompt: string): Step[] | null {
  if (isQuestion(tokens)) return readQuestion(tokens, prompt);
  const rules = RULES_BY_WORD.get(tokens[0]?.word ?? "")?.map(({ own }) => own) ?? [];
  return readFirst(rules, tokens, prompt);
}

/** "Save the changes": the clause is a whole form, and what it acts on is not said. */
export function namesNothing(tokens: readonly Token[]): boolean {
  const rules = RULES_BY_WORD.get(tokens[0]?.word ?? "") ?? [];
  return rules.some(
    ({ own: { pattern } }) =>
      pattern.elements.every(({ kind }) => kind === "words") && matchPattern(pattern, tokens) !== null,
  );
}

/** "example.com/shop", "www.example.com"; "Node.js" is a name. */
const HOST_AND_PATH = /^(?:www\.\S+\.\p{L}{2,}\S*|[\p{L}\d-]+(?:\.[\p{L}\d-]+)*\.\p{L}{2,}\/\S*)$/iu;

/** A URL or a path; otherwise the name of a link. */
function readPlace(tokens: readonly Token[], prompt: string): Step[] | null {
  const place = tokens.length === 1 ? textOf(tokens, prompt) : "";
  if (/^(?:https?:\/)?\/\S*$/i.test(place)) return [{ goto: place }];
  if (HOST_AND_PATH.test(place)) return [{ goto: `https://${place}` }];
  // "the Orders page"
  const isPage = tokens.length > 1 && /^(?:page|section|screen|view)$/.test(tokens.at(-1)?.text ?? "");
  if (isPage) return [{ open: { role: "page", name: nameOf(tokens.slice(0, -1), prompt) } }];
  const target = readTarget(tokens, prompt);
  return target === null ? null : [{ open: target }];
}

const ARROWS = new Set([">", "→", "›", "»", "->"]);

/** "Settings > Billing": links or tabs, one after the other. */
function readPath(tokens: readonly Token[], prompt: string): Step[] | null {
  const parts = splitAt(tokens, ({ kind, text }) => kind === "word" && ARROWS.has(text));
  const targets = parts.map((part) => readTarget(part, prompt));
  const isWhole = parts.length > 1 && tokens.length === parts.flat().length + parts.length - 1;
  return isWhole && targets.every((target) => target !== null) ? targets.map((target) => ({ open: target })) : null;
}

/** "Escape", "down arrow", "Control+A". A single letter and "Insert" are more likely the name of a button. */
function readKey(tokens: readonly Token[], prompt: string): string | null {
  if (tokens[0]?.kind === "quoted") return null;
  const said = textOf(tokens, prompt).replace(/^(up|down|left|right) arrow$/i, "Arrow $1");
  const key = said.split(" ").map(capitalize).join("");
  return /^(?:.|insert)$/iu.test(key) || !isKey(key) ? null : key;
}

function readSeconds(tokens: readonly Token[], prompt: string): number | null {
  const seconds = Number(textOf(tokens, prompt));
  return Number.isFinite(seconds) && seconds >= 0 && seconds <= 60 ? seconds : null;
}
