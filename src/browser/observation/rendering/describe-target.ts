import { isControlRole, type ObservedNode, textOf } from "../observation.ts";
import { describeStates } from "../observation-text.ts";

const MAX_PATH_CHARS = 48;
const MAX_OPTIONS = 12;

/** One thing in one line: its ref, what it is, what it is called, what it holds, how it is, and where it leads. */
export function describeTarget(node: ObservedNode, pageUrl: string, detail: Detail): string {
  const { ref, role, name, value, field, states, url } = node;
  const parts = [ref ?? "", role === "generic" ? "" : role];
  if (name !== "") parts.push(quote(name, detail.maxNameChars));
  if (value !== null) parts.push(`= ${quote(value, detail.maxNameChars)}`);
  if (field !== null) parts.push(...describeField(node));
  parts.push(...describeStates(states), ...describeOptions(node, detail));
  if (url !== null) parts.push(`→ ${shortenUrl(url, pageUrl)}`);
  return parts.filter((part) => part !== "").join(" ");
}

/** Whether it can be acted on or holds something; all else is text and structure. */
export function isTarget({ role, ref, value }: ObservedNode): boolean {
  return ref !== null || value !== null || isControlRole(role);
}

/** Something that takes clicks as a whole but holds too much to be told by its name, such as a row or a card. */
export function isGroup(node: ObservedNode, { maxNameChars }: Detail): boolean {
  if (isControlRole(node.role) || node.value !== null || node.children.length === 0) return false;
  return node.role === "row" || textOf(node).length > maxNameChars;
}

export function truncate(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars).trimEnd()}…`;
}

function quote(text: string, maxChars: number): string {
  return `"${truncate(text, maxChars)}"`;
}

const NOTABLE_TYPES: ReadonlySet<string> = new Set([
  "password",
  "email",
  "tel",
  "date",
  "time",
  "file",
  "month",
  "week",
  "datetime-local",
]);

function describeField({ name, field }: ObservedNode): string[] {
  if (field === null) return [];
  const { type, placeholder, key, isRequired } = field;
  const facts = [
    NOTABLE_TYPES.has(type) ? type : "",
    placeholder && placeholder !== name ? `placeholder ${quote(placeholder, 40)}` : "",
    name === "" && !placeholder && key !== null ? `key ${key}` : "",
    isRequired ? "required" : "",
  ].filter((fact) => fact !== "");
  return facts.length === 0 ? [] : [`(${facts.join(", ")})`];
}

/** The choices of a list, unless they can be pointed at one by one. */
function describeOptions({ children, field }: ObservedNode, { maxNameChars }: Detail): string[] {
  if (field?.type !== "select") return [];
  const options = children.flatMap((child) => (child.role === "option" ? [child] : child.children));
  const shown = options.slice(0, MAX_OPTIONS).map(({ name }) => truncate(name, maxNameChars / 2));
  const more = options.length > shown.length ? ` | … ${options.length - shown.length} more, use find` : "";
  return shown.length === 0 ? [] : [`of ${shown.join(" | ")}${more}`];
}

/** Without what the page's own address says already. The whole address stands in the tree. */
function shortenUrl(url: string, pageUrl: string): string {
  const target = URL.parse(url);
  const page = URL.parse(pageUrl);
  if (target === null || !/^(https?|file):$/.test(target.protocol)) return truncate(url, MAX_PATH_CHARS);
  const isHere = target.protocol === page?.protocol && target.host === page.host;
  if (isHere && target.hash !== "" && target.pathname === page?.pathname && target.search === page.search) {
    return truncate(target.hash, MAX_PATH_CHARS);
  }
  const path = target.pathname + target.search + target.hash;
  return truncate(isHere ? path : target.host + path.replace(/\/$/, ""), MAX_PATH_CHARS);
}

interface Unfolded {
  /** Null when something inside says the same and is the better target. */
  readonly outer: ObservedNode | null;
  readonly inner: readonly ObservedNode[];
}

/** Something to act on and what else to act on is inside it. Often both are one thing to a person: then it is told once. */
export function unfold(node: ObservedNode): Unfolded {
  if (node.field?.type === "select") return { outer: node, inner: [] };
  const inner = node.children.flatMap(targetsIn);
  const twin = inner.find((child) => child.name === node.name && child.field === null);
  if (twin === undefined) return { outer: node, inner };
  if (isControlRole(twin.role) && !isControlRole(node.role)) return { outer: null, inner };
  const others = inner.flatMap((child) => (child === twin ? twin.children.flatMap(targetsIn) : [child]));
  return { outer: node, inner: others };
}

/** The outermost things in a node, itself included. */
function targetsIn(node: ObservedNode): ObservedNode[] {
  return isTarget(node) ? [node] : node.children.flatMap(targetsIn);
}

/** How much of a page is told. */
export interface Detail {
  /** How many screens above and below the viewport are told in full. */
  readonly screensAround: number;
  /** What is told of the rest of the page. */
  readonly beyond: "controls" | "fields" | "headings" | "nothing";
  /** How many lines at most. */
  readonly maxBeyond: number;
  /** Of rows, list items and other things of a kind, how many. */
  readonly maxAlike: number;
  readonly maxNameChars: number;
  readonly maxTextChars: number;
}

/** From the most to the least: the first that fits the budget is taken. */
export const DETAILS: readonly [Detail, ...Detail[]] = [
  { screensAround: 1, beyond: "controls", maxBeyond: 150, maxAlike: 20, maxNameChars: 100, maxTextChars: 400 },
  { screensAround: 1, beyond: "fields", maxBeyond: 100, maxAlike: 12, maxNameChars: 100, maxTextChars: 300 },
  { screensAround: 1, beyond: "headings", maxBeyond: 60, maxAlike: 8, maxNameChars: 80, maxTextChars: 200 },
  { screensAround: 0, beyond: "headings", maxBeyond: 30, maxAlike: 8, maxNameChars: 80, maxTextChars: 200 },
  { screensAround: 0, beyond: "nothing", maxBeyond: 0, maxAlike: 5, maxNameChars: 60, maxTextChars: 100 },
  { screensAround: 0, beyond: "nothing", maxBeyond: 0, maxAlike: 3, maxNameChars: 40, maxTextChars: 40 },
];

/** Told in a line of their own even without a name, because they say where on the page one is. */
export const LANDMARKS: ReadonlySet<string> = new Set([
  "alert",
  "alertdialog",
  "banner",
  "complementary",
  "contentinfo",
  "dialog",
  "form",
  "grid",
  "iframe",
  "main",
  "menu",
  "navigation",
  "region",
  "search",
  "status",
  "table",
  "tablist",
  "tabpanel",
  "treegrid",
]);
