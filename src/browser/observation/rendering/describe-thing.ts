import { isControlRole } from "../control-roles.ts";
import type { ObservedNode } from "../observed-node.ts";
import { describeStates } from "../to-lines.ts";
import { textOf } from "../tree.ts";
import type { Detail } from "./detail.ts";

const MAX_PATH_CHARS = 48;
const MAX_OPTIONS = 12;

/** One thing in one line: its ref, what it is, what it is called, what it holds, how it is, and where it leads. */
export function describeThing(node: ObservedNode, pageUrl: string, detail: Detail): string {
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
export function isThing({ role, ref, value }: ObservedNode): boolean {
  return ref !== null || value !== null || isControlRole(role);
}

/** Something that takes clicks as a whole but holds too much to be told by its name, such as a row or a card. */
export function isGroup(node: ObservedNode, { maxNameChars }: Detail): boolean {
  if (isControlRole(node.role) || node.value !== null || node.children.length === 0) return false;
  return node.role === "row" || textOf(node).length > maxNameChars;
}

export function cap(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars).trimEnd()}…`;
}

function quote(text: string, maxChars: number): string {
  return `"${cap(text, maxChars)}"`;
}

const TELLING_TYPES: ReadonlySet<string> = new Set([
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
    TELLING_TYPES.has(type) ? type : "",
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
  const shown = options.slice(0, MAX_OPTIONS).map(({ name }) => cap(name, maxNameChars / 2));
  const more = options.length > shown.length ? ` | … ${options.length - shown.length} more, use find` : "";
  return shown.length === 0 ? [] : [`of ${shown.join(" | ")}${more}`];
}

/** Without what the page's own address says already. The whole address stands in the tree. */
function shortenUrl(url: string, pageUrl: string): string {
  const target = URL.parse(url);
  const page = URL.parse(pageUrl);
  if (target === null || !/^(https?|file):$/.test(target.protocol)) return cap(url, MAX_PATH_CHARS);
  const isHere = target.protocol === page?.protocol && target.host === page.host;
  if (isHere && target.hash !== "" && target.pathname === page?.pathname && target.search === page.search) {
    return cap(target.hash, MAX_PATH_CHARS);
  }
  const path = target.pathname + target.search + target.hash;
  return cap(isHere ? path : target.host + path.replace(/\/$/, ""), MAX_PATH_CHARS);
}
