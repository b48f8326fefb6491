import { Type } from "typebox";
import { textOf } from "../../browser/observation/observation.ts";
import { describeNode, type FoundNode, findNodes } from "../../browser/observation/observation-text.ts";
import type { Action } from "./action.ts";
import { quote } from "./plain-text.ts";

const MAX_FOUND = 20;
const MAX_CONTEXT_LENGTH = 200;

const input = Type.Object(
  {
    words: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "What to search for, as it may be worded on the page.",
    }),
  },
  { additionalProperties: false },
);

export const find: Action<typeof input> = {
  name: "find",
  description: "in the whole page",
  input,
  effect: "read",
  run({ words }, { observation }) {
    const found = findNodes(observation, words).filter((visit) => !isDuplicate(visit));
    if (found.length === 0) return Promise.resolve(`Nothing on the page matches ${quote(words)}.`);
    const matches = found.slice(0, MAX_FOUND).map(describe);
    return Promise.resolve({ matches, more: Math.max(found.length - MAX_FOUND, 0) });
  },
};

/** A button, the cell around it and the text in it have the same name: only the button is listed. */
function isDuplicate({ node, ancestors }: FoundNode): boolean {
  if (node.role === "text") return ancestors.at(-1)?.name === node.name;
  return node.ref === null && node.children.some((child) => child.ref !== null && child.name === node.name);
}

/** What has no ref itself is acted on by way of the row, item or card around it. */
function describe({ node, ancestors }: FoundNode): { line: string; ref: string | null; within: string | null } {
  const group = ancestors.findLast(({ role }) => GROUP_ROLES.has(role));
  const context = group === undefined ? "" : textOf(group);
  const within = context.length <= MAX_CONTEXT_LENGTH ? context : `${context.slice(0, MAX_CONTEXT_LENGTH)}…`;
  const clickable = ancestors.findLast(({ ref, states }) => ref !== null && states.droppable !== true);
  return { line: describeNode(node), ref: node.ref ?? clickable?.ref ?? null, within: within === "" ? null : within };
}

const GROUP_ROLES: ReadonlySet<string> = new Set(["row", "listitem", "article", "group", "dialog", "form", "region"]);
