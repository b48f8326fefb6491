import type { Step, Target } from "../step.ts";
import type { Token } from "./clauses.ts";
import { isOr, textOf } from "./clauses.ts";
import { readKey } from "./keys.ts";
import { isMixed, splitAt, splitPairs, toSteps } from "./pairs.ts";
import { matchPattern, type Pattern, parsePattern, type Slots } from "./pattern.ts";
import { isQuestionWord, readQuestion, readRequest } from "./questions.ts";
import { nameOf, readTarget, saysMore } from "./targets.ts";

/**
 * The whole grammar: one sentence form a line, with what it becomes and an example. The first form that fits a clause counts.
 * Questions and lists have their own pages, questions.ts and lists.ts; docs/steps.md shows the examples, and a test reads them.
 */
export interface Rule {
  readonly pattern: Pattern;
  /** An empty string for another way to say what the line above has an example for. */
  readonly example: string;
  readonly make: (read: Reading) => Step[] | null;
}

/** A clause that has the form of a rule, with its slots read in different ways. */
interface Reading {
  readonly slots: Slots;
  readonly clause: string;
  readonly prompt: string;
  /** As written, without quotation marks. */
  text(slot: string): string;
  /** Without articles. */
  name(slot: string): string;
  target(slot: string): Target | null;
}

const DIALOG = "(dialog|dialogue|pop-up|popup|alert|prompt|question|confirmation|message)";

export const GRAMMAR: readonly Rule[] = [
  // Going somewhere
  rule("go back [to the previous page|to the page before]", "Go back.", () => [{ back: true }]),
  rule("(reload|refresh) [the page|this page|it]", "Reload the page.", () => [{ reload: true }]),
  rule("(go|navigate|browse) to [the page|the url|page|url] {place}", "Go to /wiki/Help:Contents.", (read) =>
    goTo(read),
  ),
  rule("(open|visit) [the page|the url|page|url] {place}", "Open Your orders.", (read) => goTo(read)),

  // Clicking
  rule("(double-click|doubleclick|double click) [on] {target}", "Double-click Larch.", (read) =>
    on(read, (target) => ({ double_click: target })),
  ),
  rule("press [the] {key} [key]", "Press Enter.", (read) => press(read)),
  rule("press [the] {key} [key] in {field}", "Press Escape in the search box.", (read) => press(read)),
  rule("(click|press|tap|push|hit) [on] {target}", "Click Delete in the row of Larch.", (read) =>
    on(read, (target) => ({ click: target })),
  ),
  rule("(expand|unfold|follow) {target}", "Expand Details.", (read) => on(read, (target) => ({ click: target }))),
  rule(`close [the|this] ${DIALOG}`, "Close the dialog.", () => [
    { click: { name: "Close", within: { dialog: true } } },
  ]),
  rule("submit [it|the form|this form]", "Submit the form.", () => [{ click: { role: "submit button" } }]),
  rule("save [it|this|the form|the page|changes|the changes|my changes]", "Save the changes.", () => [
    { click: { role: "button", name: "Save" } },
  ]),
  rule("send [it|this|the form|the message|my message]", "Send the message.", () => [
    { click: { role: "button", name: "Send" } },
  ]),
  rule("(sign|log) in as {user} with [the] password {password}", "Sign in as jo with the password secret.", (read) => [
    { sign_in: { user: read.text("user"), password: read.text("password") } },
  ]),
  rule("(sign|log) in with [the] [user name|username|email] {user} and [the] password {password}", "", (read) => [
    { sign_in: { user: read.text("user"), password: read.text("password") } },
  ]),

  // Filling in
  rule("search for {value} in {field}", "Search for oak in the search box.", (read) => fill(read, true)),
  rule("(search|look) (for|up) {value}", "Search for kettle.", (read) => [
    { fill: { target: { role: "search field" }, value: read.text("value"), submit: true } },
  ]),
  rule("search {field} for {value}", "", (read) => fill(read, true)),
  rule(
    "(replace|change) (every|all|each) [occurrence of|occurrences of] {old} (with|by|to|into) {new} in {field}",
    'Replace all "colour" with "color" in the text area.',
    (read) => edit(read, { replace: read.text("old"), with: read.text("new"), all: true }),
  ),
  rule("replace {old} (with|by) {new} in {field}", 'Replace "May" by "June" in Notes.', (read) =>
    edit(read, { replace: read.text("old"), with: read.text("new") }),
  ),
  rule(
    "(insert|add|put) {text} (after|behind) {anchor} in {field}",
    'Insert " (draft)" after "Report" in Title.',
    (read) => edit(read, { insert: read.text("text"), after: read.text("anchor") }),
  ),
  rule("append {text} to [the end of] {field}", 'Append "See also: Oak" to the text area.', (read) =>
    edit(read, { append: read.text("text") }),
  ),
  rule("add {text} (to|at) the end of {field}", "", (read) => edit(read, { append: read.text("text") })),
  rule("(clear|empty) {field}", "Clear the Notes field.", (read) => edit(read, { clear: true })),
  rule("(type|enter|write|put|input) {pairs}", "Type Jo into First name and Doe into Last name.", (read) =>
    fillInto(read),
  ),
  rule("(type|enter|write|put|input) {value} (into|in|to|as) {field}", "Enter 5 in Quantity.", (read) =>
    fill(read, false),
  ),
  rule("fill [in|out] [the form|this form] with {values}", "Fill in the form with name: Jo, city: Ghent.", (read) =>
    fillLabelled(read),
  ),
  rule("fill [in|out] {pairs}", "Fill in Name with Jo and City with Ghent.", (read) => fillWith(read, "with")),
  rule("(set|change|update) {pairs}", "Set Quantity to 2.", (read) => fillWith(read, "to")),
  rule("(type|enter|write) {value}", 'Type "hello".', (read) =>
    isMixed(read.slots["value"] ?? []) || saysMore(read.slots["value"] ?? [])
      ? null
      : [{ fill: { target: { role: "field" }, value: read.text("value") } }],
  ),

  // Choosing
  rule("(select|choose|pick) {pairs}", "Select Blue in Colour and Large in Size.", (read) => selectPairs(read)),
  rule("(select|choose|pick) {value} (from|in|for|as|under) {field}", "Select Blue from Colour.", (read) =>
    on(read, (target) => ({ select: { target, value: read.text("value") } }), "field"),
  ),
  rule("(select|choose|pick) {value}", "Choose On invoice.", (read) => [{ select: { value: read.name("value") } }]),
  rule(
    "(check|verify|ensure|confirm|assert|make sure|check if) that {statement}",
    'Check that the page says "Saved".',
    (read) => expect(read),
  ),
  rule("make sure {statement}", "", (read) => expect(read)),
  rule("(uncheck|untick|disable|deselect|turn off|switch off) {target}", "Untick Newsletter.", (read) =>
    on(read, (target) => ({ uncheck: target })),
  ),
  rule("(check|tick|enable|turn on|switch on) {target}", "Tick Gift wrap.", (read) =>
    on(read, (target) => ({ check: target })),
  ),

  // Other input
  rule("(hover|move the mouse|point) [over|on|to|at] {target}", "Hover over Products.", (read) =>
    on(read, (target) => ({ hover: target })),
  ),
  rule(
    "upload [a file|the file|file] [called|named] {name} (with|containing) [the text|the content|text] {content} (to|into|in|as) {target}",
    'Upload a file named notes.txt with the text "hello" to Attachment.',
    (read) => on(read, (target) => ({ upload: { target, name: read.text("name"), content: read.text("content") } })),
  ),
  rule("scroll (down|up)", "Scroll down.", ({ clause }) => [{ scroll: /up/i.test(clause) ? "up" : "down" }]),
  rule("scroll to the (bottom|end|top) [of the page|of the list]", "Scroll to the bottom.", ({ clause }) => [
    { scroll: /top/i.test(clause) ? "top" : "bottom" },
  ]),
  rule(`(accept|confirm) [it|this|the|this] [${DIALOG.slice(1, -1)}]`, "Accept the dialog.", () => [
    { dialog: "accept" },
  ]),
  rule("(say|answer) (yes|ok|okay)", "", () => [{ dialog: "accept" }]),
  rule(`answer [the|this] ${DIALOG} with {text}`, 'Answer the dialog with "Soups".', (read) => [
    { dialog: "accept", text: read.text("text") },
  ]),
  rule(`(dismiss|cancel|reject) [it|the|this] ${DIALOG}`, "Dismiss the dialog.", () => [{ dialog: "dismiss" }]),

  // Waiting
  rule("wait [for] {number} (second|seconds)", "Wait 2 seconds.", (read) => waitSeconds(read)),
  rule(
    "wait (until|for|till) {text} (is gone|has gone|disappears|to disappear|vanishes)",
    "Wait until Loading is gone.",
    (read) => [{ wait_for: { gone: read.name("text") } }],
  ),
  rule(
    "wait (until|for|till) {text} (appears|to appear|is shown|is visible|shows up)",
    "Wait until Done appears.",
    (read) => [{ wait_for: { text: read.name("text") } }],
  ),
  rule("wait (until|for|till) [the page says|it says] {text}", "Wait for Results.", (read) => [
    { wait_for: { text: read.name("text") } },
  ]),

  // Asking
  rule("(tell|give|show) me {what}", "Tell me its price.", (read) => request(read, false)),
  rule("(find|work) out {what}", "Find out what it costs.", (read) => request(read, false)),
  // For output_schema: the data itself is found by the names in the schema.
  rule(
    "(extract|get|read) [all] [the] (data|details|information) [on|of|from|about] [the page|this page|it]",
    "Extract the data from this page.",
    () => [],
  ),
  rule("(list|collect|extract) {what}", "List the name and price of all products under €15.", (read) =>
    request(read, true),
  ),
  rule("(read|get|report|return|note|say) {what}", "Read the order number.", (read) => request(read, false)),
];

function rule(source: string, example: string, make: Rule["make"]): Rule {
  return { pattern: parsePattern(source), example, make };
}

/** Null when the clause has no form of the grammar. */
export function readClause(tokens: readonly Token[], prompt: string, rules: readonly Rule[]): Step[] | null {
  const [first] = tokens;
  if (first !== undefined && isQuestionWord(first.word)) return readQuestion(tokens, prompt);
  for (const { pattern, make } of rules) {
    const slots = matchPattern(pattern, tokens);
    const steps = slots === null ? null : make(toReading(slots, textOf(tokens, prompt), prompt));
    if (steps !== null) return steps;
  }
  return null;
}

function toReading(slots: Slots, clause: string, prompt: string): Reading {
  return {
    slots,
    clause,
    prompt,
    text: (slot) => textOf(slots[slot] ?? [], prompt),
    name: (slot) => nameOf(slots[slot] ?? [], prompt),
    target: (slot) => readTarget(slots[slot] ?? [], prompt),
  };
}

function on({ target }: Reading, make: (target: Target) => Step, slot = "target"): Step[] | null {
  const element = target(slot);
  return element === null ? null : [make(element)];
}

/** "example.com/shop", "www.example.com"; "Node.js" is a name. */
const HOST_AND_PATH = /^(?:www\.\S+\.\p{L}{2,}\S*|[\p{L}\d-]+(?:\.[\p{L}\d-]+)*\.\p{L}{2,}\/\S*)$/iu;

/** A URL or a path; otherwise the name of a link. */
function goTo({ slots, text, target }: Reading): Step[] | null {
  const place = text("place");
  const isOne = (slots["place"]?.length ?? 0) === 1;
  if (isOne && /^(?:https?:\/)?\/\S*$/i.test(place)) return [{ goto: place }];
  if (isOne && HOST_AND_PATH.test(place)) return [{ goto: `https://${place}` }];
  const element = target("place");
  return element === null ? null : [{ open: element }];
}

function press({ slots, text, target }: Reading): Step[] | null {
  const said = text("key");
  const key = slots["key"]?.[0]?.kind === "quoted" ? null : readKey(said);
  if (key === null) return null;
  if (slots["field"] === undefined) return [{ press: key }];
  const element = target("field");
  return element === null ? null : [{ press: { key, target: element } }];
}

function fill({ slots, text, target }: Reading, submit: boolean): Step[] | null {
  const element = target("field");
  if (element === null || isMixed(slots["value"] ?? [])) return null;
  return [{ fill: { target: element, value: text("value"), ...(submit ? { submit } : {}) } }];
}

type Edit = Omit<Extract<Step, { edit: unknown }>["edit"], "target">;

function edit({ target }: Reading, change: Edit): Step[] | null {
  const element = target("field");
  return element === null ? null : [{ edit: { target: element, ...change } }];
}

/** "name: Jo, city: Ghent" and "name Jo" are told apart by the colon, which is required. */
function fillLabelled({ slots, prompt }: Reading): Step[] | null {
  const steps = splitAt(slots["values"] ?? [], (token) => token.word === "," || token.word === "and").map((pair) => {
    const [label = [], value = []] = splitAt(pair, (token) => token.word === ":" || token.word === "=");
    const element = label.length === 0 || value.length === 0 ? null : readTarget(label, prompt);
    return element === null ? null : { fill: { target: element, value: textOf(value, prompt) } };
  });
  return steps.length > 0 && steps.every((step) => step !== null) ? steps : null;
}

/** "Name with Jo and City with Ghent". */
function fillWith({ slots, prompt }: Reading, joint: "with" | "to"): Step[] | null {
  const pairs = splitPairs(slots["pairs"] ?? [], new Set([joint]));
  return toSteps(pairs, ([field, value]) => {
    const target = readTarget(field, prompt);
    return target === null || isMixed(value) ? null : { fill: { target, value: textOf(value, prompt) } };
  });
}

/** "Jo into First name and Doe into Last name". With "in" and "as", which are also words of values, at least two. */
function fillInto({ slots, prompt }: Reading): Step[] | null {
  const tokens = slots["pairs"] ?? [];
  const loose = splitPairs(tokens, new Set(["into", "in", "as"]));
  const pairs = splitPairs(tokens, new Set(["into"])) ?? ((loose?.length ?? 0) > 1 ? loose : null);
  return toSteps(pairs, ([value, field]) => {
    const target = readTarget(field, prompt);
    return target === null || isMixed(value) ? null : { fill: { target, value: textOf(value, prompt) } };
  });
}

/** "Blue in Colour and Large in Size": at least two. */
function selectPairs({ slots, prompt }: Reading): Step[] | null {
  const pairs = splitPairs(slots["pairs"] ?? [], new Set(["in", "from", "for", "as"]));
  if (pairs === null || pairs.length < 2) return null;
  return toSteps(pairs, ([value, list]) => {
    const target = readTarget(list, prompt);
    return target === null ? null : { select: { target, value: textOf(value, prompt) } };
  });
}

function waitSeconds({ text }: Reading): Step[] | null {
  const seconds = Number(text("number"));
  return Number.isFinite(seconds) && seconds >= 0 && seconds <= 60 ? [{ wait_for: { seconds } }] : null;
}

function request({ slots, prompt }: Reading, isList: boolean): Step[] | null {
  return readRequest(slots["what"] ?? [], prompt, { isList });
}

function expect({ slots, prompt }: Reading): Step[] | null {
  const statement = readStatement(slots["statement"] ?? [], prompt);
  return statement === null ? null : [{ expect: statement }];
}

type Statement = Extract<Step, { expect: unknown }>["expect"];

const STATEMENTS: readonly (readonly [Pattern, (read: Reading) => Statement | null])[] = (
  [
    [
      "(it|the page|this page|there) (does not say|does not show|doesn't say|doesn't show|does not contain) {text}",
      (read) => ({ no_text: read.name("text") }),
    ],
    [
      "(it|the page|this page|the site) (says|shows|contains|reads|displays|mentions) {text}",
      (read) => ({ text: read.name("text") }),
    ],
    ["the url (contains|is|has) {text}", (read) => ({ url: read.name("text") })],
    [
      "there is (no|not a|not any) (row|entry|item) [for|called|named|with] {text}",
      (read) => ({ no_row: read.name("text") }),
    ],
    ["there is (a|an|the) (row|entry|item) [for|called|named|with] {text}", (read) => ({ row: read.name("text") })],
    ["there is (no|not a|not any) {text}", (read) => ({ no_text: read.name("text") })],
    ["there is [a|an|the] {text}", (read) => ({ text: read.name("text") })],
    ["{text} is (not shown|not visible|not there|gone|not on the page)", (read) => ({ no_text: read.name("text") })],
    ["{text} is (shown|visible|there|on the page|displayed)", (read) => ({ text: read.name("text") })],
    ["{field} (is|contains|holds|says|shows) {value}", (read) => toFieldStatement(read)],
  ] as const satisfies readonly (readonly [string, (read: Reading) => Statement | null])[]
).map(([source, make]) => [parsePattern(source), make]);

/** What "check that" and "if" are followed by. */
export function readStatement(tokens: readonly Token[], prompt: string): Statement | null {
  if (tokens.some(isOr)) return null;
  for (const [pattern, make] of STATEMENTS) {
    const slots = matchPattern(pattern, tokens);
    const statement = slots === null ? null : make(toReading(slots, textOf(tokens, prompt), prompt));
    if (statement !== null) return statement;
  }
  return null;
}

const COMPARING = new Set(
  "not below under over above less more fewer at between before after greater higher lower cheaper empty".split(" "),
);

/** "the price is below 20" compares, which is no value that a field holds. */
function toFieldStatement({ slots, target, text }: Reading): Statement | null {
  const field = target("field");
  const isComparing = COMPARING.has(slots["value"]?.[0]?.word ?? "");
  return field === null || isComparing ? null : { field, value: text("value") };
}
