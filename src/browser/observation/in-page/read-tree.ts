import type { NodeStates } from "../observation.ts";
import type { ElementRecord, TreeNode } from "../page-facts.ts";
import type { NameReader } from "./read-name.ts";
import type { SeenElement, WalkedPage } from "./walk-page.ts";

interface TreeParts {
  /** By index, like the other lists: null for none. */
  readonly roles: readonly (string | null)[];
  readonly records: readonly (ElementRecord | null)[];
  readonly names: NameReader;
  readonly statesOf: (index: number, role: string, isTarget: boolean) => NodeStates | undefined;
  readonly pseudoTextOf: (index: number, pseudo: "::before" | "::after") => string;
  readonly isReadable: (piece: number) => boolean;
  /** Whether it lies behind an open dialog. */
  readonly isBehind: (index: number) => boolean;
  /** Whether it is only decoration beside a text, such as the line numbers of an editor. */
  readonly isMargin: (index: number) => boolean;
  readonly wordsOf: (element: Element) => string;
  /** Whether it is drawn as the selected one among others. */
  readonly isPicked: (element: Element) => boolean;
  /** A number that an element keeps as long as it is in the document. */
  readonly numberOf: (element: Element) => number;
}

/**
 * Runs in the page. Builds the tree of what is on it: roles, names, states and text. Groups that say nothing are left out.
 * Built from the last element to the first, because a page may nest as deep as it likes.
 */
export function readTree({ elements, pieces }: WalkedPage, parts: TreeParts): (TreeNode | string)[] {
  const CONTROLS =
    /^(button|checkbox|combobox|link|listbox|menuitem|menuitemcheckbox|menuitemradio|option|radio|searchbox|slider|spinbutton|switch|tab|textbox|treeitem)$/;
  const MAX_URL_CHARS = 2_000;
  const { roles, records, names } = parts;
  const built: (TreeNode | string)[][] = [];
  const isAriaHidden: boolean[] = [];
  /** In or on something with a pointer cursor that the mouse can hit. */
  const isPointed: boolean[] = [];

  elements.forEach(({ element, cursor, parent, isHit }, index) => {
    isAriaHidden[index] = isAriaHidden[parent] === true || element.getAttribute("aria-hidden") === "true";
    isPointed[index] = isPointed[parent] === true || (cursor === "pointer" && isHit);
  });

  /** An element that is acted on even when the page gives it no role. */
  function isTarget({ click, field }: ElementRecord): boolean {
    return field !== null || (click !== null && !click.isKnown);
  }

  function isLeftOut(index: number, record: ElementRecord | null): boolean {
    return record?.drawn?.isPart === true || record?.field?.isHint === true || parts.isMargin(index);
  }

  /** Adjacent texts become one, with single spaces. */
  function mergeTexts(entries: readonly (TreeNode | string)[]): (TreeNode | string)[] {
    const merged: (TreeNode | string)[] = [];
    let text = "";
    for (const entry of [...entries, null]) {
      if (typeof entry === "string") {
        text += entry;
        continue;
      }
      const normalized = text.replace(/\s+/g, " ").trim();
      if (normalized !== "") merged.push(normalized);
      text = "";
      if (entry !== null) merged.push(entry);
    }
    return merged;
  }

  /** Its text does not touch the text before and after it. */
  function isBlock({ localName }: Element, display: string): boolean {
    return display !== "inline" || localName === "br";
  }

  function contentOf(index: number, { element, display, content }: SeenElement): (TreeNode | string)[] {
    const space = isBlock(element, display) ? " " : "";
    const inner = content.flatMap((child) => (child < 0 ? [textOf(~child)] : takeBuilt(child)));
    const [before, after] = [parts.pseudoTextOf(index, "::before"), parts.pseudoTextOf(index, "::after")];
    return [space, before, ...inner, after, space];
  }

  function textOf(piece: number): string {
    return parts.isReadable(piece) ? (pieces[piece]?.text ?? "") : "";
  }

  /** Once only, because an element may be part of two others. */
  function takeBuilt(index: number): (TreeNode | string)[] {
    const taken = built[index] ?? [];
    built[index] = [];
    return taken;
  }

  function optionsOf(select: HTMLSelectElement): TreeNode[] {
    const toOption = (option: HTMLOptionElement): TreeNode => ({
      role: "option",
      name: option.label.replace(/\s+/g, " ").trim(),
      states: { selected: option.selected, ...(option.matches(":disabled") ? { disabled: true } : {}) },
    });
    return [...select.children].flatMap((child): TreeNode[] => {
      if (child instanceof HTMLOptionElement) return [toOption(child)];
      if (!(child instanceof HTMLOptGroupElement)) return [];
      const options = [...child.children].filter((one) => one instanceof HTMLOptionElement).map(toOption);
      return [{ role: "group", name: child.label, children: options }];
    });
  }

  /** A group whose only text is the name of what is around it. */
  function repeats(name: string, entry: TreeNode | string): boolean {
    if (name === "" || typeof entry === "string" || entry.role !== "generic" || entry.record) return false;
    if (entry.states?.active) return false;
    const { children = [] } = entry;
    return entry.name ? children.length === 0 && entry.name === name : children.length === 1 && children[0] === name;
  }

  /** The text of a group that only wraps it. */
  function wrappedText([child, ...others]: readonly (TreeNode | string)[]): string | null {
    if (typeof child !== "object" || others.length > 0) return null;
    const [text, ...more] = child.children ?? [];
    const isPlain = child.role === "generic" && !child.name && !child.record && !child.states?.active;
    return isPlain && typeof text === "string" && more.length === 0 ? text : null;
  }

  /** A group without a role that takes the clicks of a target and has its size. */
  function fills(box: readonly number[], child: TreeNode | string): child is TreeNode {
    if (typeof child === "string" || child.role !== "generic" || !child.record?.click || child.record.field)
      return false;
    return child.box?.join() === box.join();
  }

  /** A group that takes clicks, around exactly one target of the same size, adds nothing. */
  function isDoubled({ role, box, record, children = [] }: TreeNode): boolean {
    const [child, ...others] = children;
    if (role !== "generic" || typeof child !== "object" || others.length > 0 || record?.field) return false;
    const isOther = CONTROLS.test(child.role) || Boolean(child.record?.click || child.record?.field);
    return isOther && box !== undefined && box.join() === child.box?.join();
  }

  function urlOf(element: Element): string | undefined {
    return element.getAttribute("href")?.slice(0, MAX_URL_CHARS);
  }

  function childrenOf(seen: SeenElement, node: Headed, entries: readonly (TreeNode | string)[]): (TreeNode | string)[] {
    const { name, role, record, box } = node;
    const all = mergeTexts(entries).filter((entry) => !repeats(name, entry));
    if (seen.element instanceof HTMLSelectElement && all.length === 0) return optionsOf(seen.element);
    const children = record?.click
      ? all.flatMap((child) => (fills(box, child) ? (child.children ?? []) : [child]))
      : all;
    if (children.length === 1 && children[0] === name) return [];
    const text = role === "generic" ? wrappedText(children) : null;
    return text === null ? children : [text];
  }

  interface Headed {
    readonly role: string;
    readonly name: string;
    readonly record: ElementRecord | null;
    readonly box: readonly number[];
  }

  /** How it is found again, and whether the mouse can hit it. */
  function toTarget(index: number, { element, cursor, parent, isHit }: SeenElement, role: string) {
    const hasPointer = isHit && cursor === "pointer" && isPointed[parent] !== true;
    const mayBeTarget = hasPointer || records[index] != null || role === "iframe" || CONTROLS.test(role);
    return {
      canHit: isHit || undefined,
      hasPointer: hasPointer || undefined,
      number: mayBeTarget ? parts.numberOf(element) : undefined,
      words: (mayBeTarget && parts.wordsOf(element)) || undefined,
      isPicked: (mayBeTarget && role !== "iframe" && parts.isPicked(element)) || undefined,
    };
  }

  /** Its bar says how far it is. */
  function isMeasured(element: Element, role: string): boolean {
    return role === "progressbar" && element.matches("[aria-valuenow], [value]");
  }

  function toNode(index: number, seen: SeenElement, role: string, entries: readonly (TreeNode | string)[]): TreeNode {
    const { element, rect } = seen;
    const record = records[index] ?? null;
    const box = [rect.x, rect.y, rect.width, rect.height].map(Math.round);
    const name = names.nameOf(index);
    const children = childrenOf(seen, { role, name, record, box }, entries);
    const target = toTarget(index, seen, role);
    // All that a control has may be a text for screen readers, or the name of its only picture.
    const called = name === "" && CONTROLS.test(role) && children.length === 0 ? target.words : name;
    return {
      ...target,
      role,
      name: called || undefined,
      box: rect.width > 0 || rect.height > 0 ? box : undefined,
      states: parts.statesOf(index, role, target.number !== undefined),
      url: role === "link" ? urlOf(element) : undefined,
      isBehind: parts.isBehind(index) || undefined,
      isMeasured: isMeasured(element, role) || undefined,
      record: record ?? undefined,
      children: children.length > 0 ? children : undefined,
    };
  }

  /** A group without a name around nothing, or around one other thing. */
  function isSuperfluous(node: TreeNode): boolean {
    const { children = [], record } = node;
    if (record && (isTarget(record) || record.drawn || record.states.draggable)) return isDoubled(node);
    if (node.role === "img") return !node.name && children.length === 0 && !node.hasPointer;
    if (node.role !== "generic" || node.name || children.length > 1) return false;
    if (children.length === 0) return !node.hasPointer;
    return children.every((child) => typeof child === "object" && child.canHit);
  }

  /** Not hidden, or acted on all the same, and more than a part of the text around it. */
  function isNode(index: number, { element, display, visibility, isRendered }: SeenElement): boolean {
    const isShown = visibility === "visible" && display !== "none" && (isRendered || !isAriaHidden[index]);
    const role = roles[index] ?? "generic";
    return isShown && role !== "none" && !(role === "generic" && isPlainText(element, display));
  }

  function roleOf(index: number, { element }: SeenElement): string {
    if (/^i?frame$/.test(element.localName)) return "iframe";
    const role = roles[index] ?? "generic";
    const click = records[index]?.click;
    return (role === "generic" || role === "none") && click && !click.isKnown ? click.role : role;
  }

  function build(index: number, seen: SeenElement): (TreeNode | string)[] {
    const record = records[index] ?? null;
    if (isLeftOut(index, record)) return [];
    const entries = contentOf(index, seen);
    const isForced = record !== null && isTarget(record);
    if (!isForced && !isNode(index, seen)) return entries;
    const node = toNode(index, seen, roleOf(index, seen), entries);
    if (!isSuperfluous(node)) return [node];
    const space = isBlock(seen.element, seen.display) ? " " : "";
    return [space, ...(node.children ?? []), space];
  }

  /** Its text is part of the text around it. */
  function isPlainText(element: Element, display: string): boolean {
    const { firstChild, lastChild } = element;
    return firstChild === lastChild && firstChild?.nodeType === Node.TEXT_NODE && display === "inline";
  }

  for (let index = elements.length - 1; index >= 0; index--)
    built[index] = build(index, elements[index] as SeenElement);
  return mergeTexts(built[0] ?? []);
}
