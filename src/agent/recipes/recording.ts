import { labelOf, type Observation, type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { isWrite } from "../../browser/session/network-record.ts";
import type { ActionReport } from "../actions/action.ts";
import { MASK } from "../actions/public-call.ts";
import { isSamePage } from "../grounding/captured-pages.ts";
import { isDialog, isSearchField, type Place, ROW_ROLES } from "../steps/areas.ts";
import { isBanner } from "../steps/elements.ts";
import { findTarget, type Purpose } from "../steps/find-target.ts";
import { shorten } from "../steps/names.ts";
import type { Step, Target, Within } from "../steps/step.ts";
import { findSharedWords, isInPrompt, NotLearnable } from "./prompt-values.ts";

/** One action of a run, with the pages before and after it. */
export interface RecordedAction {
  readonly report: ActionReport;
  readonly before: Observation;
  readonly after: Observation;
}

/** A step, with the pages before and after it. */
export interface RecordedStep {
  readonly step: Step;
  readonly before: Observation;
  readonly after: Observation;
}

/**
 * The actions of a run as steps: each element by its role, its name and where it is, so that it is found again on a page
 * that looks different. What was typed and chosen must be in the prompt, and the names of elements must be the site's own:
 * what a page says about a user stays out of it.
 */
export function toSteps(actions: readonly RecordedAction[], prompt: string): RecordedStep[] {
  return actions.flatMap((action, at) => {
    const { report, before, after } = action;
    const step = toStep(action, prompt);
    if (step === null) return [];
    const isSending = report.events.requests.some((request) => request.isFirstParty && isWrite(request));
    const steps = [...(isSending ? keepChoices(before, actions.slice(0, at), prompt) : []), step];
    return steps.map((each) => ({ step: each, before, after }));
  });
}

/**
 * What the prompt names and the page had chosen already: "on invoice". It is part of what was asked for, and may not be chosen
 * next time.
 */
function keepChoices(page: Observation, earlier: readonly RecordedAction[], prompt: string): Step[] {
  const used = earlier.filter(({ before }) => before.url === page.url).map(({ report }) => report.call.input["label"]);
  return [...walk(page.root)].flatMap((place): Step[] => {
    const { node } = place;
    const label = labelOf(node).trim();
    if (node.ref === null || label === "" || used.includes(label)) return [];
    if (CHECKED.has(node.role))
      return node.states.checked === true && isInPrompt(label, prompt)
        ? [{ check: describe(place, page, "check", prompt) }]
        : [];
    const value = node.field?.type === "select" ? (node.value ?? "") : "";
    return value !== "" && isInPrompt(value, prompt)
      ? [{ select: { target: describe(place, page, "select", prompt), value } }]
      : [];
  });
}

const CHECKED: ReadonlySet<string> = new Set(["radio", "checkbox", "switch"]);

/** Null for what leaves nothing to repeat. */
function toStep(action: RecordedAction, prompt: string): Step | null {
  const { call, failure, events } = action.report;
  if (failure !== null) {
    if (events.requests.some((request) => isWrite(request)))
      throw new NotLearnable(`An action failed after something was sent: ${shorten(failure.message, 160)}`);
    return null;
  }
  const convert = CONVERT[call.action];
  if (convert === undefined) throw new NotLearnable(`The action "${call.action}" cannot be expressed as a step.`);
  return convert(new Acted(action, prompt));
}

/** An action, and what its steps need of it. */
class Acted {
  readonly input: Readonly<Record<string, unknown>>;
  readonly action: RecordedAction;
  readonly prompt: string;

  constructor(action: RecordedAction, prompt: string) {
    this.action = action;
    this.prompt = prompt;
    this.input = action.report.call.input;
  }

  text(name: string): string {
    return String(this.input[name] ?? "");
  }

  get place(): Place {
    for (const place of walk(this.action.before.root)) if (place.node.ref === this.input["ref"]) return place;
    throw new NotLearnable(`An element of the action "${this.action.report.call.action}" was not on the page before.`);
  }

  target(purpose: Purpose): Target {
    return describe(this.place, this.action.before, purpose, this.prompt);
  }
}

const nothing = () => null;

const CONVERT: Readonly<Record<string, (acted: Acted) => Step | null>> = {
  look: nothing,
  find: nothing,
  read: nothing,
  wait_for: nothing,
  goto: (acted) => toGoto(acted.text("url"), acted.action.before, acted.prompt),
  back: () => ({ back: true }),
  scroll: (acted) => ({ scroll: acted.text("direction") === "up" ? "up" : "down" }),
  tab({ action }) {
    // A tab that has just opened is followed anyway.
    if (action.after.tabs.at(-1)?.isCurrent === true) return null;
    throw new NotLearnable("The run went back and forth between tabs.");
  },
  click(acted) {
    const { place, prompt, input } = acted;
    if (input["right"] === true) throw new NotLearnable("The run used a context menu.");
    if ([place.node, ...place.ancestors].some(isBannerPart)) return null;
    const chosen = toChoice(place, prompt);
    if (chosen !== null) return chosen;
    const target = acted.target("click");
    if (input["double"] === true) return { double_click: target };
    // What a link of the site is called stays the same; what an entry is called was asked for.
    return place.node.role === "link" && !isOfSite(place, prompt) ? { open: target } : { click: target };
  },
  hover: (acted) => ({ hover: acted.target("hover") }),
  check(acted) {
    if (acted.input["checked"] === false) return { uncheck: acted.target("check") };
    return toChoice(acted.place, acted.prompt) ?? { check: acted.target("check") };
  },
  fill(acted) {
    const submit = acted.input["submit"] === true ? { submit: true } : {};
    const value = takeValue(acted.text("text"), acted.place.node, acted.prompt);
    return { fill: { target: acted.target("fill"), value, ...submit } };
  },
  select(acted) {
    const [option, ...others] = [acted.input["options"]].flat().map(String);
    if (option === undefined || others.length > 0) throw new NotLearnable("Several options of one list were chosen.");
    const value = takeValue(option, acted.place.node, acted.prompt);
    return { select: { target: acted.target("select"), value } };
  },
  press(acted) {
    const key = acted.text("key");
    return { press: acted.input["ref"] === undefined ? key : { key, target: acted.target("fill") } };
  },
  dialog(acted) {
    const entered =
      acted.input["text"] === undefined ? {} : { text: takeValue(acted.text("text"), null, acted.prompt) };
    return { dialog: acted.input["accept"] === false ? "dismiss" : "accept", ...entered };
  },
};

/** A radio button or an option that the prompt names is a choice, and may be another one next time. */
function toChoice({ node }: Place, prompt: string): Step | null {
  if (node.role !== "radio" && node.role !== "option") return null;
  const label = labelOf(node).trim();
  const name = isInPrompt(label, prompt) ? label : findSharedWords(label, prompt);
  if (name === null) throw new NotLearnable(explainPrivate(node));
  return { select: { value: name } };
}

/** Cookie banners come and go, and steps close what is in their way. */
function isBannerPart(node: ObservedNode): boolean {
  return node.role !== "generic" && node.role !== "document" && node.role !== "banner" && isBanner(node);
}

/** A URL is repeated if the prompt has it, or if it is one that every user of the site has. */
function toGoto(url: string, before: Observation, prompt: string): Step {
  const parsed = URL.parse(url, before.url);
  const isOwn = parsed !== null && parsed.search === "" && !/\d/.test(parsed.pathname);
  if (prompt.includes(url) || isOwn) return { goto: url };
  throw new NotLearnable("It opened a URL that the prompt does not name.");
}

/** What was entered must be in the prompt: anything else was worked out by the run, and may be something else next time. */
function takeValue(value: string, node: ObservedNode | null, prompt: string): string {
  if (node?.field?.isSecret === true || value === MASK) throw new NotLearnable("It enters a secret.");
  if (isInPrompt(value, prompt)) return value;
  const field = node === null ? "a dialog" : `"${shorten(labelOf(node))}"`;
  throw new NotLearnable(`What was entered into ${field} is not in the prompt word for word.`);
}

/** The simplest description that means just this element on the page as it was. */
function describe(place: Place, page: Observation, purpose: Purpose, prompt: string): Target {
  const { node } = place;
  const names = listNames(place, prompt);
  if (names.length === 0) throw new NotLearnable(explainPrivate(node));
  const role = roleOf(place);
  const targets = [{}, ...listAreas(place, prompt).map((within) => ({ within }))].flatMap((area): Target[] =>
    names.map((name) => ({ ...role, ...(name === "" ? {} : { name }), ...area })),
  );
  const target = targets.find((each) => {
    const found = findTarget(page, each, purpose);
    return found.kind === "found" && found.node.ref === node.ref;
  });
  if (target !== undefined) return target;
  throw new NotLearnable(
    `The ${node.role} "${shorten(labelOf(node))}" cannot be told from others by its name and place.`,
  );
}

function roleOf({ node, ancestors }: Place): { readonly role?: string } {
  if (isSearchField(node, ancestors)) return { role: "search field" };
  return node.role === "generic" ? {} : { role: node.role };
}

function explainPrivate(node: ObservedNode): string {
  return `The ${node.role} "${shorten(labelOf(node))}" is named neither in the prompt nor by the site itself.`;
}

/** Parts of every page, with the same names for all users. */
const CHROME = new Set(["navigation", "banner", "contentinfo", "menu", "menubar", "toolbar", "tablist", "search"]);
/** What somebody chooses by its name has to be in the prompt. */
const CHOICES = new Set(["radio", "option", "row", "cell", "gridcell", "treeitem", "listitem", "article"]);

/** What an element may be called in a recipe, the best first. Empty when all of it may be about the user. */
function listNames(place: Place, prompt: string): string[] {
  const label = labelOf(place.node).trim();
  if (isInPrompt(label, prompt)) return [label];
  const shared = findSharedWords(label, prompt);
  const own = isOfSite(place, prompt) ? withoutParticulars(label, prompt) : null;
  // A name without letters of its own needs a place that tells it from others.
  if (label === "" && isOfSite(place, prompt)) return [""];
  const asked = shared === null || isOfSite(place, prompt) ? [] : [shared];
  return [...(own === null || own === "" ? [] : [own]), ...asked];
}

/** What comes after a comma or a bracket and looks like a name or a number: "Your account, Jo Doe", "Cart (2)". */
const PARTICULARS = /\s*[,(|·–—[\n]\s*[\p{Lu}\p{Lt}\p{Lo}\d][\s\S]*$/u;

/**
 * The part of a text that is the same for all users, as far as its form tells; empty when there is none: a text with a number
 * in its middle is about something in particular.
 */
export function withoutParticulars(text: string, prompt: string): string {
  const rest = PARTICULARS.exec(text)?.[0] ?? "";
  const isAsked = rest !== "" && findSharedWords(rest, prompt) !== null;
  const plain = (isAsked ? text : text.replace(PARTICULARS, "")).replace(/\s*\d[\d.,]*\s*$/u, "").trim();
  return /\d|@/.test(plain) ? "" : plain;
}

/** A control that the site gives to everybody, outside of lists of things; in such a list only if the prompt names the entry. */
function isOfSite({ node, ancestors }: Place, prompt: string): boolean {
  if (CHOICES.has(node.role)) return false;
  const isInChrome = ancestors.some(({ role }) => CHROME.has(role)) && node.role !== "text";
  const entry = ancestors.findLast(({ role }) => ROW_ROLES.has(role));
  if (entry === undefined || isInChrome) return true;
  // The title of an entry is what the entry is about. Its buttons are the same in all entries.
  const isNamed = [...walk(entry)].some(
    ({ node: { name }, node: each }) => each !== node && name.trim().length > 2 && isInPrompt(name, prompt),
  );
  return node.role !== "link" && (isNamed || isFormRow(entry));
}

/** Forms are often laid out as lists: an entry with one field and no links holds nothing of its own. */
function isFormRow(entry: ObservedNode): boolean {
  const nodes = [...walk(entry)].map(({ node }) => node);
  return nodes.some(({ field }) => field !== null) && !nodes.some(({ role }) => role === "link");
}

/** Where the element is, in words that may be kept: the row that the prompt names, the dialog, the section. */
function listAreas({ node, ancestors }: Place, prompt: string): Within[] {
  const row = ancestors.findLast(({ role }) => ROW_ROLES.has(role));
  const named = row === undefined ? [] : listCells(row).filter((text) => isInPrompt(text, prompt));
  const isFree = (text: string) => text !== "" && (isInPrompt(text, prompt) || !/[\d@]/.test(text));
  const dialog = ancestors.some(isDialog);
  const sections = ancestors
    .filter(({ role, name }) => SECTIONS.has(role) && isFree(name.trim()))
    .map(({ name }) => ({ section: name.trim() }))
    .toReversed();
  const form = ancestors.findLast(({ role }) => role === "form");
  const forms = form !== undefined && isFree(form.name.trim()) ? [{ form: form.name.trim() }] : [];
  return [
    ...named.filter((text) => text !== node.name).map((text) => ({ row: text })),
    ...(dialog ? [{ dialog: true }] : []),
    ...forms,
    ...sections,
  ];
}

const SECTIONS = new Set([
  "region",
  "group",
  "tabpanel",
  "navigation",
  "complementary",
  "toolbar",
  "radiogroup",
  "table",
  "list",
]);

function listCells(row: ObservedNode): string[] {
  const texts = [...walk(row)].map(({ node }) => node.name.trim()).filter((name) => name.length > 1);
  return [...new Set(texts)].toSorted((one, other) => other.length - one.length);
}

/** The last page at this URL that the run has seen. */
export function findPage(actions: readonly RecordedAction[], url: string): RecordedAction | null {
  return actions.findLast(({ after }) => isSamePage(after.url, url)) ?? null;
}
