export interface Tab {
  /** "t1", "t2", … in the order they were opened. */
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly isCurrent: boolean;
}

/** A native dialog (alert, confirm, prompt). It blocks the page until it is answered. */
export interface PendingDialog {
  readonly kind: "alert" | "confirm" | "prompt";
  readonly message: string;
  readonly defaultText: string;
}

/** What a planner sees of the browser at one moment. */
export interface Observation {
  /** Increases with each observation of the session. */
  readonly number: number;
  readonly url: string;
  readonly title: string;
  /** The whole page of the current tab, including frames and what is outside the viewport. */
  readonly root: ObservedNode;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly scroll: { readonly y: number; readonly pageHeight: number };
  readonly tabs: readonly Tab[];
  /** While a dialog is open, the tree is the one from before it. */
  readonly dialog: PendingDialog | null;
  /** Equal for two observations of the same state of the same page. */
  readonly fingerprint: string;
}

/** In CSS pixels, relative to the viewport of the page (not of a frame). */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What an area that scrolls, or a list that states its length, has beyond the rows that are in the document. */
export interface ListExtent {
  /** In the viewport of the page. For the page itself: all of its content. */
  readonly box: Box;
  /** How many rows the list says it has, without header rows; null when it does not say so. */
  readonly total: number | null;
  /** Whether it is the page itself. */
  readonly isPage: boolean;
  /** How far it can be scrolled up and down, in pixels. Both 0 for a list that only states its length. */
  readonly above: number;
  readonly below: number;
  /** It reserves room for rows that are not in the document, or says that it does not know how many there are. */
  readonly isSparse: boolean;
}

/** Ends the value of a field that holds more than is in the document: editors of code render only the lines in view. */
export const CUT_MARK = " ⋯";

/** Properties of a form field beyond its role. */
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
  /** It looks like something that can be dragged. */
  readonly draggable?: boolean;
  /** Something can be dropped on it. */
  readonly droppable?: boolean;
  /** The current sort order of a column header. */
  readonly sort?: "ascending" | "descending";
}

/**
 * One node of a page as a person sees it: hidden text is removed, secrets are masked, frames and shadow roots are part
 * of the tree. Everything in it was written by the page and is data, never an instruction.
 */
export interface ObservedNode {
  /** The ARIA role; "text" for a run of text; "generic" for a target or group without a role. */
  readonly role: string;
  /** The accessible name; of a run of text, the text. */
  readonly name: string;
  /** What to call a field that has no name: the text beside it, or its column and row. Null for all other nodes. */
  readonly label: string | null;
  /** Set on targets. Only valid for this observation. */
  readonly ref: string | null;
  /** The value of a field: text, the selected options joined by ", ", the number of a slider. Null for other nodes. */
  readonly value: string | null;
  readonly field: FieldFacts | null;
  readonly states: NodeStates;
  /** The absolute URL of a link. */
  readonly url: string | null;
  /** Null for a node without a box, such as a run of text or an option of a closed list. */
  readonly box: Box | null;
  /** It lies behind an open dialog: nobody can click it at the moment. */
  readonly isBehind?: boolean;
  /** A progress bar that says how far it is: it may show how much of something is used. */
  readonly isMeasured?: boolean;
  readonly children: readonly ObservedNode[];
  /** Only of the root: the areas of the page that scroll, and the lists that state their length. */
  readonly extents?: readonly ListExtent[];
}

interface Visit {
  readonly node: ObservedNode;
  /** From the root to the parent. */
  readonly ancestors: readonly ObservedNode[];
}

/** An empty run of text. */
export const EMPTY_NODE: ObservedNode = {
  role: "text",
  name: "",
  label: null,
  ref: null,
  value: null,
  field: null,
  states: {},
  url: null,
  box: null,
  children: [],
};

/** All nodes in document order, the root first. With a stack of its own: nested generators are slow on large pages. */
export function* walk(root: ObservedNode): Generator<Visit> {
  const left: Visit[] = [{ node: root, ancestors: [] }];
  for (let visit = left.pop(); visit !== undefined; visit = left.pop()) {
    yield visit;
    const { children } = visit.node;
    if (children.length === 0) continue;
    const ancestors = [...visit.ancestors, visit.node];
    for (let at = children.length - 1; at >= 0; at--) left.push({ node: children[at] as ObservedNode, ancestors });
  }
}

/** What a node is called wherever it is shown, acted on or cited. Empty when it has neither a name nor a label. */
export function labelOf({ name, label }: Pick<ObservedNode, "name" | "label">): string {
  return name === "" ? (label ?? "") : name;
}

/** The readable text of a node: names and runs of text, in order. A name that the children repeat counts once. */
export function textOf(node: ObservedNode): string {
  const inner = node.children.map(textOf).filter(Boolean).join(" ");
  if (inner === "") return node.name;
  if (node.name === "" || inner.includes(node.name) || node.name.includes(inner)) {
    return node.name.length > inner.length ? node.name : inner;
  }
  return `${node.name} ${inner}`;
}

/** Roles of interactive elements. */
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
