import { type Step, type Target, toTarget } from "../step.ts";
import { type Token, textOf, tokenize, writtenAs } from "./clauses.ts";
import { namesNothing, readClause } from "./grammar.ts";
import { type Area, readArea, readTarget } from "./targets.ts";

/** "In the row of Larch, …": where the rest of the sentence happens. */
export interface Place {
  readonly tokens: readonly Token[];
  /** What it adds to a target; null when it is no area of the page: "in the search box". */
  readonly area: Area | null;
  /** What it names as an element. */
  readonly element: Target | null;
}

export function readPlace(tokens: readonly Token[], prompt: string): Place {
  const element = readTarget(tokens.slice(1), prompt);
  // "The text area" is a field and no area that is called "text".
  const isField = element?.role === "text area" && element.name === undefined;
  return { tokens, area: isField ? null : readArea(tokens, prompt), element };
}

/**
 * A clause at a place. Later ones of the sentence may be elsewhere, if nothing in them can be at the place: "In the row of
 * Larch, click Edit and go back".
 */
export function readAt(place: Place, tokens: readonly Token[], prompt: string, isFirst: boolean): Step[] | null {
  const { area } = place;
  const plain = readClause(tokens, prompt);
  // "In the row of Larch, set Quantity to 2 and save": what saves a form is in the form, and seldom in a row.
  const isInside = isFirst || area?.within?.form !== undefined || !namesNothing(tokens);
  const inside = area !== null && isInside ? (plain ?? []).map((step) => putInto(step, area)) : [];
  const placed = inside.filter((step) => step !== null);
  if (placed.length > 0) return placed.length < inside.length ? null : placed;
  return readBehind(place, tokens, prompt) ?? (isFirst ? null : plain);
}

/** The step with its target there. Null when it has no target, or one that is said to be elsewhere. */
function putInto(step: Step, area: Area): Step | null {
  const [[kind = "", fields] = []] = Object.entries(step) as [string, unknown][];
  if (kind === "dialog") return area.within?.dialog === true ? step : null;
  const target = targetOf(step);
  if (target !== null) return isFree(target, area) ? ({ [kind]: { ...target, ...area } } as Step) : null;
  const [name, inner] =
    Object.entries(fields as Record<string, Target>).find(([key]) => key === "target" || key === "field") ?? [];
  if (name === undefined || inner === undefined || !isFree(toTarget(inner), area)) return null;
  return { [kind]: { ...(fields as object), [name]: { ...toTarget(inner), ...area } } } as Step;
}

function isFree(target: Target, area: Area): boolean {
  return Object.keys(area).every((key) => !(key in target));
}

/** Questions about a list, and steps in an element: "In the table Users, list all names", "In the search box, type oak". */
function readBehind(place: Place, tokens: readonly Token[], prompt: string): Step[] | null {
  const said = `${writtenAs(tokens, prompt)} ${writtenAs(place.tokens, prompt)}`;
  const words = tokenize(said);
  const steps = words.length === tokens.length + place.tokens.length ? readClause(words, said) : null;
  const [only, ...more] = steps ?? [];
  // A name or a value with the beginning of the place has taken it for its own words.
  const beginning = JSON.stringify(writtenAs(place.tokens.slice(0, 2), prompt)).slice(1, -1);
  if (only === undefined || JSON.stringify(steps).includes(beginning)) return null;
  if (steps?.every((step) => "read" in step || "collect" in step)) return steps;
  // "In the Colour list, select Blue": a list is an element too.
  const isElement = place.area === null || ("select" in only && place.tokens.at(-1)?.word === "list");
  return isElement && more.length === 0 && isOn(only, place.element) ? [only] : null;
}

/** "Under Billing, what is the plan?": read there. A link or tab of that name is opened where the page has no such part. */
export function readUnder({ tokens }: Place, asked: readonly Token[], prompt: string): Step[] | null {
  const [, ...name] = tokens;
  const section = textOf(name, prompt);
  const isName = name.some(({ kind, text }) => kind === "quoted" || /^\p{Lu}/u.test(text));
  const steps = isName && name[0]?.word !== "the" ? (readClause(asked, prompt) ?? []) : [];
  const placed = steps.map((step) => readIn(section, step));
  return placed.length > 0 && placed.every((step) => step !== null)
    ? [{ open: { role: "section", name: section } }, ...placed]
    : null;
}

function readIn(section: string, step: Step): Step | null {
  if ("collect" in step) return step;
  if (!("read" in step)) return null;
  const { label, row, when, who, whether } = step.read;
  // What "it" is there is the section.
  if (row === undefined && (when ?? who ?? whether) !== undefined) return { read: { ...step.read, row: section } };
  if (row !== undefined) return { read: { list: section, ...step.read } };
  return label === undefined ? null : { read: { as: label, row: section, column: label } };
}

function isOn(step: Step, element: Target | null): boolean {
  const [fields] = Object.values(step) as { target?: Target }[];
  return element !== null && JSON.stringify(fields?.target) === JSON.stringify(element);
}

/** Kinds of steps that hold a target and nothing else. */
const ON_TARGETS = new Set(["click", "double_click", "open", "check", "uncheck", "hover"]);

/** The target of a step that has nothing else. */
export function targetOf(step: Step): Target | null {
  const [[kind = "", value] = []] = Object.entries(step) as [string, unknown][];
  return ON_TARGETS.has(kind) ? toTarget(value as string | Target) : null;
}
