import type { Box, NodeStates } from "../observation.ts";
import type { ElementRecord, FieldRecord, PageFacts } from "../page-facts.ts";
import type { DescribeAppearance } from "./describe-appearance.ts";
import type { createClickReader } from "./read-click-target.ts";
import type { createCoverReader } from "./read-cover.ts";
import type { createDragReader } from "./read-drag.ts";
import type { createDrawingReader } from "./read-drawing.ts";
import type { createDrawnFieldReader } from "./read-drawn-fields.ts";
import type { createHandlerReader } from "./read-handlers.ts";
import type { readHiddenText } from "./read-hidden-text.ts";
import type { readLineBreaks } from "./read-line-breaks.ts";
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
  readonly createCoverReader: typeof createCoverReader;
  readonly createDragReader: typeof createDragReader;
  readonly createDrawingReader: typeof createDrawingReader;
  readonly createDrawnFieldReader: typeof createDrawnFieldReader;
  readonly createHandlerReader: typeof createHandlerReader;
  readonly describeAppearance: DescribeAppearance;
  readonly readField: typeof readField;
  readonly readHiddenText: typeof readHiddenText;
  readonly readLineBreaks: typeof readLineBreaks;
  readonly readWords: typeof readWords;
  readonly listenersKey: string;
  readonly secretPattern: string;
  readonly invisiblePattern: string;
  readonly cutMark: string;
}

/** Runs in the page. One pass, linear in the size of the document. */
export function collectFacts(parts: ScanParts): Collected {
  const MAX_ANCESTORS = 10;
  const TARGETS = "a,button,input,select,textarea,summary,label,iframe,[role],[tabindex],[contenteditable]";
  const MARGIN = { label: "", isList: false, isPart: true, isAround: false, value: null, placeholder: null, texts: [] };
  const page = parts.walkPage();
  const wordsOf = (element: Element) => parts.readWords(element, parts.invisiblePattern);
  const handlers = parts.createHandlerReader(parts.listenersKey);
  const drags = parts.createDragReader(page, handlers);
  const drawings = parts.createDrawingReader(handlers);
  const { describeAppearance } = parts;
  const drawnFields = parts.createDrawnFieldReader(page, wordsOf);
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

  function readTarget(seen: SeenElement, index: number) {
    const target = readClick(index);
    const drawn = drawnFields.read(seen, target?.role === "generic" || seen.style.cursor === "pointer");
    return { target: drawn?.isAround ? null : target, drawn };
  }

  /** Line numbers and other marks beside the text of an editor. Screen readers skip them, and they have no words. */
  function isMargin({ element, rect }: SeenElement): boolean {
    if (element.getAttribute("aria-hidden") !== "true" || !(element instanceof HTMLElement)) return false;
    const around = [element.parentElement, element.parentElement?.parentElement];
    const editor = around.find((one) => one?.querySelector("textarea,[contenteditable=true],[role=textbox]") != null);
    if (editor == null || rect.width > editor.getBoundingClientRect().width / 3) return false;
    // biome-ignore lint/performance/useDomNodeTextContent: only visible text counts
    const text = element.innerText;
    if (!/\d/.test(text) && element.getAttribute("role") !== "presentation") return false;
    return text.split(/\s+/).every((word) => /^(?:\d*|[^\p{L}\p{N}])$/u.test(word));
  }

  const margins = new Set<number>();
  page.elements.forEach((seen, index) => {
    if (margins.has(seen.parent) || isMargin(seen)) {
      margins.add(index);
      const none = { field: null, states: {}, words: "", click: null };
      records.push({
        ...none,
        index: kept.push(seen.element) - 1,
        box: boxOf(seen),
        roles: ["generic"],
        drawn: MARGIN,
      });
    } else addRecord(seen, index);
  });

  function addRecord(seen: SeenElement, index: number): void {
    const { element } = seen;
    const reading = parts.readField(seen, parts.secretPattern, parts.cutMark);
    if (reading?.secret) secrets.push(reading.secret);
    const { target, drawn } = readTarget(seen, index);
    const isDraggable = drags.isDraggable(seen);
    if (reading === null && target === null && drawn === null && !isDraggable) return;
    records.push({
      index: kept.push(element) - 1,
      box: boxOf(seen),
      roles: reading === null ? null : reading.roles,
      field: reading?.field ?? null,
      states: { ...reading?.states, ...target?.states, ...(isDraggable ? { draggable: true } : {}) },
      // The words of an area where things are dropped change with each of them.
      words: target?.states.droppable ? "" : wordsOf(element),
      click: target === null ? null : { ...target, within: boxesAround(seen) },
      drawn,
    });
  }

  function boxesBehind(): Box[] {
    const isBehind = parts.createCoverReader();
    if (isBehind === null) return [];
    const toKey = (box: Box) => Object.values(box).join();
    const behind = new Map<string, Box>();
    const front = new Set<string>();
    const targets = new Set(kept);
    for (const seen of page.elements) {
      if (!targets.has(seen.element) && !seen.element.matches(TARGETS)) continue;
      const box = boxOf(seen);
      if (isBehind(seen)) behind.set(toKey(box), box);
      else front.add(toKey(box));
    }
    return [...behind].filter(([key]) => !front.has(key)).map(([, box]) => box);
  }

  const root = document.scrollingElement ?? document.documentElement;
  const facts = {
    baseUrl: document.baseURI,
    title: document.title,
    viewport: { width: innerWidth, height: innerHeight },
    scroll: { y: Math.round(scrollY), pageHeight: root.scrollHeight },
    records,
    hiddenRuns: parts.readHiddenText(page, parts.invisiblePattern),
    brokenTexts: parts.readLineBreaks(page, parts.invisiblePattern),
    behind: boxesBehind(),
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
export function readField(
  { element, style, rect, cut, isClipped }: SeenElement,
  secretPattern: string,
  cutMark: string,
): FieldReading | null {
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

  /** Suggestion widgets put a copy of the field behind it, editors one for input methods. Nobody can type into the copy. */
  function isHint(): boolean {
    const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
    if (!isField || !element.readOnly || element.tabIndex >= 0) return false;
    if (element.getAttribute("aria-hidden") === "true") return true;
    const { x, y, width, height } = element.getBoundingClientRect();
    return [...(element.parentElement?.children ?? [])].some((other) => {
      const box = other.getBoundingClientRect();
      const differences = [box.x - x, box.y - y, box.width - width, box.height - height];
      const takesText = other instanceof HTMLInputElement && !other.readOnly;
      return takesText && differences.every((difference) => Math.abs(difference) <= 2);
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

  /** Nobody can see it: it takes input for an editor that draws its text elsewhere, and holds some lines of that at most. */
  function isRelay(): boolean {
    const MAX_PIXELS = 4;
    if (Number(style.zIndex) < 0 || Number(style.opacity) < 0.05 || isClipped || cut !== "none") return true;
    return Math.min(rect.width, rect.height) <= MAX_PIXELS;
  }

  /** Editors of code render only the lines in view, and an empty box in place of the others. */
  function isCut(): boolean {
    const lineHeight = Number.parseFloat(style.lineHeight) || 20;
    const isGap = (child: Element) => !child.textContent && child.getBoundingClientRect().height > 2 * lineHeight;
    return [...element.children].some(
      (child) => child.tagName === "DIV" && child.childElementCount === 0 && isGap(child),
    );
  }

  function readEditor(editor: HTMLElement): FieldReading {
    // biome-ignore lint/performance/useDomNodeTextContent: only visible text counts
    const text = editor.innerText
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n[\s]*/g, "\n")
      .trim();
    const isDrawnElsewhere = !editor.isContentEditable && (text === "" || isRelay());
    return describe("contenteditable", isDrawnElsewhere ? null : `${text}${isCut() ? cutMark : ""}`);
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
  if (element instanceof HTMLTextAreaElement) return describe("textarea", isRelay() ? null : element.value);
  return isEditingHost() ? readEditor(element as HTMLElement) : readWidget();
}
