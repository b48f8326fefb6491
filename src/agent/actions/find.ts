import { Type } from "typebox";
import type { ObservedNode } from "../../browser/observation/observed-node.ts";
import { describeNode } from "../../browser/observation/to-lines.ts";
import { textOf, type Visit, walk } from "../../browser/observation/tree.ts";
import { type Action, ActionFailed } from "./action.ts";
import { quote, toPlain } from "./plain-text.ts";

const MAX_FOUND = 20;
const MAX_CONTEXT_LENGTH = 200;

const input = Type.Object(
  {
    words: Type.String({ minLength: 1, maxLength: 200, description: "What to look for, as it may read on the page." }),
  },
  { additionalProperties: false },
);

export const find: Action<typeof input> = {
  name: "find",
  description:
    "Searches the whole page, also what the observation leaves out, and answers the matching lines with their refs, " +
    `best first, ${MAX_FOUND} at most, with the row or item that each stands in.`,
  input,
  effect: "read",
  run({ words }, { observation }) {
    const wanted = toPlain(words).split(" ");
    const found = [...walk(observation.root)]
      .filter((visit) => !isSaidElsewhere(visit))
      .map((visit) => ({ visit, score: scoreOf(visit.node, wanted) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score);
    if (found.length === 0) throw new ActionFailed("not_found", `Nothing on the page reads ${quote(words)}.`);
    const matches = found.slice(0, MAX_FOUND).map(({ visit }) => describe(visit));
    return Promise.resolve({ matches, more: Math.max(found.length - MAX_FOUND, 0) });
  },
};

/** A button, the cell around it and the text in it bear one name; the button is what is looked for. */
function isSaidElsewhere({ node, ancestors }: Visit): boolean {
  if (node.role === "text") return ancestors.at(-1)?.name === node.name;
  return node.ref === null && node.children.some((child) => child.ref !== null && child.name === node.name);
}

/** All words must be there. The whole phrase beats scattered words, and what can be acted on beats what cannot. */
function scoreOf(node: ObservedNode, words: readonly string[]): number {
  const said = toPlain([node.name, node.value ?? "", node.field?.placeholder ?? ""].join(" "));
  if (said === "" || !words.every((word) => said.includes(word))) return 0;
  const phrase = words.join(" ");
  const closeness = said === phrase ? 3 : said.includes(phrase) ? 2 : 1;
  return closeness + (node.ref === null ? 0 : 0.5);
}

function describe({ node, ancestors }: Visit): { line: string; ref: string | null; within: string | null } {
  const group = ancestors.findLast(({ role }) => GROUP_ROLES.has(role));
  const context = group === undefined ? "" : textOf(group);
  const within = context.length <= MAX_CONTEXT_LENGTH ? context : `${context.slice(0, MAX_CONTEXT_LENGTH)}…`;
  return { line: describeNode(node), ref: node.ref, within: within === "" ? null : within };
}

const GROUP_ROLES: ReadonlySet<string> = new Set(["row", "listitem", "article", "group", "dialog", "form", "region"]);
