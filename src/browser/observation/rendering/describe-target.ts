import { isControlRole, labelOf, type ObservedNode, textOf } from "../observation.ts";
import { describeStates } from "../observation-text.ts";

const MAX_PATH_CHARS = 48;
const MAX_OPTIONS = 12;

/** One target in one line: ref, role, name, value, field properties, states, and the URL of a link. */
export function describeTarget(node: ObservedNode, pageUrl: string, detail: Detail): string {
  const { ref, role, value, field, states, url } = node;
  const label = labelOf(node);
  const parts = [ref ?? "", role === "generic" ? "" : role];
  if (label !== "") parts.push(quote(label, detail.maxNameChars));
  if (value !== null) parts.push(`= ${quote(value, detail.maxNameChars)}`);
  if (field !== null) parts.push(...describeField(node));
  parts.push(...describeStates(states), ...describeOptions(node, detail));
  if (url !== null) parts.push(`→ ${shortenUrl(url, pageUrl)}`);
  return parts.filter((part) => part !== "").join(" ");
}

/** Whether a node can be acted on or has a value. Everything else is text and structure. */
export function isTarget({ role, ref, value }: ObservedNode): boolean {
  return ref !== null || value !== null || isControlRole(role);
}

/** A target with too much content to be shown by its name only, such as a row or a card. */
export function isGroup(node: ObservedNode, { maxNameChars }: Detail): boolean {
  if (isControlRole(node.role) || node.value !== null || node.children.length === 0) return false;
  return node.role === "row" || textOf(node).length > maxNameChars;
}

export function truncate(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars).trimEnd()}…`;
}

function quote(text: string, maxChars: number): string {
  return `"${truncate(text.replace(/\s*\n\s*/g, "\\n"), maxChars)}"`;
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

function describeField(node: ObservedNode): string[] {
  const { field } = node;
  if (field === null) return [];
  const label = labelOf(node);
  const { type, placeholder, key, isRequired } = field;
  const facts = [
    NOTABLE_TYPES.has(type) ? type : "",
    placeholder && placeholder !== label ? `placeholder ${quote(placeholder, 40)}` : "",
    label === "" && !placeholder && key !== null ? `key ${key}` : "",
    isRequired ? "required" : "",
  ].filter((fact) => fact !== "");
  return facts.length === 0 ? [] : [`(${facts.join(", ")})`];
}

/** The options of a select element, which have no refs of their own. */
function describeOptions({ children, field }: ObservedNode, { maxNameChars }: Detail): string[] {
  if (field?.type !== "select") return [];
  const options = children.flatMap((child) => (child.role === "option" ? [child] : child.children));
  const shown = options.slice(0, MAX_OPTIONS).map(({ name }) => truncate(name, maxNameChars / 2));
  const more = options.length > shown.length ? ` | … ${options.length - shown.length} more, use find` : "";
  return shown.length === 0 ? [] : [`of ${shown.join(" | ")}${more}`];
}

/** Without the parts that the URL of the page already has. The tree has the whole URL. */
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
  /** Null when a node inside has the same name and is the better target. */
  readonly outer: ObservedNode | null;
  readonly inner: readonly ObservedNode[];
}

/** A target and the targets inside it. Often two of them are the same to a person; then only one is kept. */
export function unfold(node: ObservedNode): Unfolded {
  if (node.field?.type === "select") return { outer: node, inner: [] };
  const inner = node.children.flatMap(targetsIn);
  const twin = inner.find((child) => child.name === node.name && child.field === null);
  if (twin === undefined) return { outer: node, inner };
  if (isControlRole(twin.role) && !isControlRole(node.role)) return { outer: null, inner };
  const others = inner.flatMap((child) => (child === twin ? twin.children.flatMap(targetsIn) : [child]));
  return { outer: node, inner: others };
}

/** The outermost targets in a node, or the node itself. */
function targetsIn(node: ObservedNode): ObservedNode[] {
  return isTarget(node) ? [node] : node.children.flatMap(targetsIn);
}

/** How much of a page is shown. */
export interface Detail {
  /** How many screens above and below the viewport are shown in full. */
  readonly screensAround: number;
  /** What is shown of the rest of the page. */
  readonly beyond: "controls" | "fields" | "headings" | "nothing";
  /** Maximum lines for the rest of the page. */
  readonly maxBeyond: number;
  /** Maximum number of similar nodes in a row, such as table rows or list items. */
  readonly maxSimilar: number;
  readonly maxNameChars: number;
  readonly maxTextChars: number;
}

/** From the most to the least detail. The first that fits the budget is used. */
export const DETAILS: readonly [Detail, ...Detail[]] = [
  { screensAround: 1, beyond: "controls", maxBeyond: 150, maxSimilar: 20, maxNameChars: 100, maxTextChars: 400 },
  { screensAround: 1, beyond: "fields", maxBeyond: 100, maxSimilar: 12, maxNameChars: 100, maxTextChars: 300 },
  { screensAround: 1, beyond: "headings", maxBeyond: 60, maxSimilar: 8, maxNameChars: 80, maxTextChars: 200 },
  { screensAround: 0, beyond: "headings", maxBeyond: 30, maxSimilar: 8, maxNameChars: 80, maxTextChars: 200 },
  { screensAround: 0, beyond: "nothing", maxBeyond: 0, maxSimilar: 5, maxNameChars: 60, maxTextChars: 100 },
  { screensAround: 0, beyond: "nothing", maxBeyond: 0, maxSimilar: 3, maxNameChars: 40, maxTextChars: 40 },
];

/** Shown on a line of their own even without a name, because they structure the page. */
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
