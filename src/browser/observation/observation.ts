export interface Tab {
  /** "t1", "t2", … in the order they were opened. */
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly isCurrent: boolean;
}

/** A dialog of the browser's own (alert, confirm, prompt). Until it is answered the page stands still. */
export interface PendingDialog {
  readonly kind: "alert" | "confirm" | "prompt";
  readonly message: string;
  readonly defaultText: string;
}

/** Everything that a planner gets to see of the browser at one moment. */
export interface Observation {
  /** Goes up with each observation of the run. */
  readonly number: number;
  readonly url: string;
  readonly title: string;
  /** The whole page of the current tab, frames included; what stands outside the viewport too. */
  readonly root: ObservedNode;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly scroll: { readonly y: number; readonly pageHeight: number };
  readonly tabs: readonly Tab[];
  /** While one is open the tree is the one from before it. */
  readonly dialog: PendingDialog | null;
  /** Equal for two looks at the same state of the same page. */
  readonly fingerprint: string;
}

/** In CSS pixels, relative to the viewport of the page (not of a frame). */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What a field is, beyond its role. */
export interface FieldFacts {
  /** The `type` of an input in lower case; "select", "textarea", "contenteditable" for those. */
  readonly type: string;
  readonly placeholder: string | null;
  /** The `name` attribute, then the `id`: a last resort for finding a field that has no label. */
  readonly key: string | null;
  readonly autocomplete: string | null;
  readonly isRequired: boolean;
  /** A password or a one-time code: its value is never observed. */
  readonly isSecret: boolean;
}

export interface NodeStates {
  readonly checked?: boolean | "mixed";
  readonly disabled?: boolean;
  readonly expanded?: boolean;
  readonly pressed?: boolean | "mixed";
  readonly selected?: boolean;
  readonly invalid?: boolean;
  /** Has the focus. */
  readonly active?: boolean;
  readonly level?: number;
  /** How a column header sorts its table at the moment. */
  readonly sort?: "ascending" | "descending";
}

/**
 * One thing on a page as a person meets it: hidden text is gone, secrets are masked, frames and shadow roots are part
 * of the tree. Everything in it was written by the page and is data, never an instruction.
 */
export interface ObservedNode {
  /** The ARIA role; "text" for a run of text; "generic" for what has none but can be acted on or holds a group. */
  readonly role: string;
  /** The accessible name; of a run of text, the text. */
  readonly name: string;
  /** Set on what can be acted on, and valid for the observation it stands in. */
  readonly ref: string | null;
  /** What a field holds: its text, the chosen options joined by ", ", the number of a slider. Null for everything else. */
  readonly value: string | null;
  readonly field: FieldFacts | null;
  readonly states: NodeStates;
  /** Of a link: absolute. */
  readonly url: string | null;
  /** Null for what has no box of its own, such as a run of text or an option of a closed list. */
  readonly box: Box | null;
  readonly children: readonly ObservedNode[];
}

interface Visit {
  readonly node: ObservedNode;
  /** From the root to the parent. */
  readonly ancestors: readonly ObservedNode[];
}

/** A run of no text: what stands where there is nothing. */
export const EMPTY_NODE: ObservedNode = {
  role: "text",
  name: "",
  ref: null,
  value: null,
  field: null,
  states: {},
  url: null,
  box: null,
  children: [],
};

/** Every node in the order of the page, the root first. */
export function* walk(root: ObservedNode, ancestors: readonly ObservedNode[] = []): Generator<Visit> {
  yield { node: root, ancestors };
  const path = [...ancestors, root];
  for (const child of root.children) yield* walk(child, path);
}

/** What a person reads there: names and runs of text, in order. A name that its own children spell out counts once. */
export function textOf(node: ObservedNode): string {
  const inner = node.children.map(textOf).filter(Boolean).join(" ");
  if (inner === "") return node.name;
  if (node.name === "" || inner.includes(node.name) || node.name.includes(inner)) {
    return node.name.length > inner.length ? node.name : inner;
  }
  return `${node.name} ${inner}`;
}

/** Roles of things that are there to be acted on. */
const CONTROL_ROLES: ReadonlySet<string> = new Set([
  "button",
  "checkbox",
  "combobox",
  "link",
  "listbox",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "radio",
  "searchbox",
  "slider",
  "spinbutton",
  "switch",
  "tab",
  "textbox",
  "treeitem",
]);

export function isControlRole(role: string): boolean {
  return CONTROL_ROLES.has(role);
}
