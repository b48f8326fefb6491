import { Type } from "typebox";
import { labelOf, type Observation, type ObservedNode, textOf, walk } from "../../browser/observation/observation.ts";
import { type Action, ActionFailed, optionalElementInput } from "./action.ts";
import { readEditor } from "./field.ts";

const CHUNK_LENGTH = 8000;

const input = Type.Object(
  {
    ...optionalElementInput,
    offset: Type.Optional(
      Type.Integer({ minimum: 0, description: "Where to continue: next_offset of the previous part." }),
    ),
  },
  { additionalProperties: false },
);

export const read: Action<typeof input> = {
  name: "read",
  description: "all text of the page or ref",
  input,
  effect: "read",
  async run({ ref, offset = 0 }, { observation, session }) {
    const node = ref === undefined ? observation.root : getNode(observation, ref);
    const mayBeEditor = ref !== undefined && EDITOR_TYPES.has(node.field?.type ?? "") && session.dialog === null;
    const text = (mayBeEditor ? await readEditor(await session.pin(ref)) : null) ?? toReadableText(node);
    const end = Math.min(offset + CHUNK_LENGTH, text.length);
    const next_offset = end < text.length ? end : null;
    return { text: text.slice(offset, end), offset, next_offset, total_length: text.length };
  },
};

/** Fields that an editor with more text than the page shows, or with formatting, may be behind. */
const EDITOR_TYPES: ReadonlySet<string> = new Set(["contenteditable", "textarea"]);

function getNode({ root }: Observation, ref: string): ObservedNode {
  for (const { node } of walk(root)) if (node.ref === ref) return node;
  throw new ActionFailed("stale", `There is no ${ref} on the newest page.`);
}

/** Roles that continue a line. */
const INLINE_ROLES: ReadonlySet<string> = new Set([
  "text",
  "link",
  "strong",
  "emphasis",
  "code",
  "mark",
  "deletion",
  "insertion",
  "subscript",
  "superscript",
  "time",
]);

/** The text of a part of a page as a person would copy it: one line per paragraph, heading, item and row. */
function toReadableText(node: ObservedNode): string {
  return linesOf(node).join("\n");
}

/** What stands in a field and is not its value: the buttons in it, for example. Its options are no text of the page. */
function linesBeside(value: string, { children }: ObservedNode): string[] {
  const others = children.filter(({ role }) => role !== "option" && role !== "group");
  return others.flatMap(linesOf).filter((line) => !value.includes(line));
}

function linesOf(node: ObservedNode): string[] {
  if (node.value !== null) return [`${labelOf(node)}: ${node.value}`, ...linesBeside(node.value, node)];
  if (node.role === "row") return [node.children.map((cell) => linesOf(cell).join(" ")).join(" | ")];
  const lines: string[] = [];
  let isRunning = false;
  for (const child of node.children) {
    const isInline = INLINE_ROLES.has(child.role) && child.value === null;
    const inner = isInline ? [textOf(child)].filter((text) => text !== "") : linesOf(child);
    const [first] = inner;
    if (isRunning && isInline && first !== undefined) lines.push(`${lines.pop()} ${first}`);
    else lines.push(...inner);
    isRunning = isInline && lines.length > 0;
  }
  return lines.length > 0 || node.name === "" ? lines : [node.name];
}
