import type { Box, NodeStates } from "../observation.ts";
import type { ElementRecord, FieldRecord, PageFacts } from "../page-facts.ts";
import type { DescribeAppearance } from "./describe-appearance.ts";
import type { createClickReader } from "./read-click-target.ts";
import type { createDragReader } from "./read-drag.ts";
import type { createDrawingReader } from "./read-drawing.ts";
import type { createHandlerReader } from "./read-handlers.ts";
import type { readHiddenText } from "./read-hidden-text.ts";
import type { readWords } from "./read-words.ts";
import type { SeenElement, walkPage } from "./walk-page.ts";

export interface Collected {
  readonly facts: PageFacts;
  /** The elements of the records, by index. */
  readonly elements: readonly Element[];
  /** The words of an element at present, computed as those of the records were. */
  readonly wordsOf: (element: Element) => string;
}

/** Passed in, because a function that runs in a page can use nothing from outside itself. */
export interface ScanParts {
  readonly walkPage: typeof walkPage;
  readonly createClickReader: typeof createClickReader;
  readonly createDragReader: typeof createDragReader;
  readonly createDrawingReader: typeof createDrawingReader;
  readonly createHandlerReader: typeof createHandlerReader;
  readonly describeAppearance: DescribeAppearance;
  readonly readField: typeof readField;
  readonly readHiddenText: typeof readHiddenText;
  readonly readWords: typeof readWords;
  readonly listenersKey: string;
  readonly secretPattern: string;
  readonly invisiblePattern: string;
}

/** Runs in the page. One pass, linear in the size of the document. */
export function collectFacts(parts: ScanParts): Collected {
  const MAX_ANCESTORS = 10;
  const page = parts.walkPage();
  const wordsOf = (element: Element) => parts.readWords(element, parts.invisiblePattern);
  const handlers = parts.createHandlerReader(parts.listenersKey);
  const drags = parts.createDragReader(page, handlers);
  const drawings = parts.createDrawingReader(handlers);
  const { describeAppearance } = parts;
  const readClick = parts.createClickReader(page, { describeAppearance, wordsOf, handlers, drags, drawings });
  const records: ElementRecord[] = [];
  const secrets: string[] = [];
  const kept: Element[] = [];

  function boxOf({ rect }: SeenElement): Box {
    const { x, y, width, height } = rect;
    return { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
  }

  function boxesAround(seen: SeenElement): Box[] {
    const boxes: Box[] = [];
    let above = page.elements[seen.parent];
    while (above !== undefined && boxes.length < MAX_ANCESTORS) {
      boxes.push(boxOf(above));
      above = page.elements[above.parent];
    }
    return boxes;
  }

  page.elements.forEach((seen, index) => {
    const { element } = seen;
    const reading = parts.readField(element, seen.style, parts.secretPattern);
    if (reading?.secret) secrets.push(reading.secret);
    const target = readClick(index);
    const isDraggable = drags.isDraggable(seen);
    if (reading === null && target === null && !isDraggable) return;
    records.push({
      index: kept.push(element) - 1,
      box: boxOf(seen),
      roles: reading === null ? null : reading.roles,
      field: reading?.field ?? null,
      states: { ...reading?.states, ...target?.states, ...(isDraggable ? { draggable: true } : {}) },
      // The words of an area where things are dropped change with each of them.
      words: target?.states.droppable ? "" : wordsOf(element),
      click: target === null ? null : { ...target, within: boxesAround(seen) },
    });
  });

  const root = document.scrollingElement ?? document.documentElement;
  const facts = {
    baseUrl: document.baseURI,
    title: document.title,
    viewport: { width: innerWidth, height: innerHeight },
    scroll: { y: Math.round(scrollY), pageHeight: root.scrollHeight },
    records,
    hiddenRuns: parts.readHiddenText(page, parts.invisiblePattern),
    secrets,
  };
  return { facts, elements: kept, wordsOf };
}

interface FieldReading {
  readonly field: FieldRecord | null;
  readonly states: NodeStates;
  /** Roles that the snapshot may give it; null: any. */
  readonly roles: readonly string[] | null;
  readonly secret: string | null;
}

/** Runs in the page. Null when there is nothing to add to what the snapshot says about the element. */
export function readField(element: Element, style: CSSStyleDeclaration, secretPattern: string): FieldReading | null {
  if (!element.hasAttributes() && !/^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName)) return null;
  const TEXT_ROLES = ["textbox", "searchbox", "combobox", "spinbutton", "slider"];
  const explicitRole = element.getAttribute("role")?.trim().split(/\s+/)[0]?.toLowerCase() || null;

  function isSecretField(type: string): boolean {
    const autocomplete = (element.getAttribute("autocomplete") ?? "").toLowerCase();
    if (type === "password" || new RegExp(secretPattern).test(autocomplete)) return true;
    return !["", "none"].includes(style.getPropertyValue("-webkit-text-security"));
  }

  function describe(type: string, value: string | null): FieldReading {
    const isSecret = isSecretField(type);
    const field = {
      type,
      placeholder: element.getAttribute("placeholder") ?? element.getAttribute("aria-placeholder"),
      key: element.getAttribute("name") || element.id || null,
      autocomplete: element.getAttribute("autocomplete"),
      isRequired: element.hasAttribute("required") || element.getAttribute("aria-required") === "true",
      isSecret,
      isHint: isHint(),
      value: isSecret && value !== null ? "•".repeat(value === "" ? 0 : 6) : value,
    };
    return { field, states: readStates(), roles: rolesOf(type), secret: isSecret ? value : null };
  }

  function rolesOf(type: string): string[] {
    if (explicitRole !== null) return [explicitRole];
    if (type === "checkbox") return ["checkbox", "switch"];
    if (type === "radio") return ["radio"];
    if (type === "select") return ["combobox", "listbox"];
    if (["button", "submit", "reset", "image", "file", "color"].includes(type)) return ["button", "textbox", "generic"];
    // A wrapper of exactly the same size is a generic node, too.
    return type === "contenteditable" ? [...TEXT_ROLES, "generic"] : TEXT_ROLES;
  }

  /** Suggestion widgets put a copy of the field behind it. Nobody can type into the copy. */
  function isHint(): boolean {
    if (!(element instanceof HTMLInputElement) || !element.readOnly || element.tabIndex >= 0) return false;
    const { x, y, width, height } = element.getBoundingClientRect();
    return [...(element.parentElement?.children ?? [])].some((other) => {
      const box = other.getBoundingClientRect();
      const differences = [box.x - x, box.y - y, box.width - width, box.height - height];
      const isField = other instanceof HTMLInputElement && !other.readOnly;
      return isField && differences.every((difference) => Math.abs(difference) <= 2);
    });
  }

  function readStates(): NodeStates {
    const states: { -readonly [Key in keyof NodeStates]: NodeStates[Key] } = {};
    if (element.getAttribute("aria-expanded") === "false") states.expanded = false;
    if (element.getAttribute("aria-pressed") === "false") states.pressed = false;
    if (element.getAttribute("aria-selected") === "false") states.selected = false;
    const sort = element.getAttribute("aria-sort");
    if (sort === "ascending" || sort === "descending") states.sort = sort;
    return states;
  }

  function readInput(input: HTMLInputElement): FieldReading {
    const type = input.type.toLowerCase();
    if (type === "file") return describe(type, [...(input.files ?? [])].map(({ name }) => name).join(", "));
    const hasNoText = ["checkbox", "radio", "button", "submit", "reset", "image"].includes(type);
    return describe(type, hasNoText ? null : input.value);
  }

  function readSelect(select: HTMLSelectElement): FieldReading {
    const chosen = [...select.selectedOptions].map((option) => option.label.replace(/\s+/g, " ").trim());
    return describe("select", chosen.join(", "));
  }

  /** Also an element that takes the input of an editor that draws its text itself. */
  function isEditingHost(): boolean {
    if (!(element instanceof HTMLElement)) return false;
    if ((element as HTMLElement & { editContext?: unknown }).editContext) return true;
    if (!element.isContentEditable) return false;
    return !(element.parentElement?.isContentEditable ?? false);
  }

  /** Widgets built from other elements, described by ARIA attributes. */
  function readWidget(): FieldReading | null {
    const number = element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow");
    if (number !== null) return describe(explicitRole ?? element.tagName.toLowerCase(), number);
    const states = readStates();
    if (Object.keys(states).length === 0) return null;
    return { field: null, states, roles: explicitRole === null ? null : [explicitRole], secret: null };
  }

  if (element instanceof HTMLInputElement) return element.type === "hidden" ? null : readInput(element);
  if (element instanceof HTMLSelectElement) return readSelect(element);
  if (element instanceof HTMLTextAreaElement) return describe("textarea", element.value);
  if (isEditingHost()) {
    // biome-ignore lint/performance/useDomNodeTextContent: only visible text counts
    const text = (element as HTMLElement).innerText.replace(/\s+/g, " ").trim();
    // An editor that draws its text elsewhere is not empty.
    return describe("contenteditable", text === "" && !(element as HTMLElement).isContentEditable ? null : text);
  }
  return readWidget();
}
