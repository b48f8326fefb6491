import type { Observation } from "./observation.ts";
import type { ObservedNode } from "./observed-node.ts";
import { textOf, walk } from "./tree.ts";

/** What of a page tells whether the site knows the person. */
export interface SiteView {
  readonly url: string;
  readonly title: string;
  /** Of the document, when it is known. */
  readonly status: number | null;
  readonly hasPasswordField: boolean;
  /** The names of links, buttons and menu entries. */
  readonly controls: readonly string[];
  readonly text: string;
}

const CONTROL_ROLES: ReadonlySet<string> = new Set([
  "link",
  "button",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "tab",
]);
const MAX_CONTROLS = 2_000;
const MAX_TEXT = 200_000;

export function toSiteView(
  { url, title, root }: Pick<Observation, "url" | "title" | "root">,
  status: number | null,
): SiteView {
  return {
    url,
    title,
    status,
    hasPasswordField: hasPasswordField(root),
    controls: nameControls(root),
    text: root.children.map(textOf).filter(Boolean).join(" ").slice(0, MAX_TEXT),
  };
}

/** One that asks for the password that there is; whoever chooses a new one is known already, or wants to be. */
export function hasPasswordField(root: ObservedNode): boolean {
  return walk(root).some(({ node }) => node.field?.type === "password" && node.field.autocomplete !== "new-password");
}

function nameControls(root: ObservedNode): string[] {
  const names = walk(root)
    .filter(({ node }) => CONTROL_ROLES.has(node.role))
    .map(({ node }) => node.name || textOf(node))
    .filter((name) => name !== "");
  return [...names.take(MAX_CONTROLS)];
}
