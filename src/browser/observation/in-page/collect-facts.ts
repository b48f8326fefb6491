import type { NodeStates } from "../observation.ts";
import type { ElementRecord, FieldRecord, PageFacts } from "../page-facts.ts";
import type { DescribeAppearance } from "./describe-appearance.ts";
import type { createClickReader } from "./read-click-target.ts";
import type { createCoverReader } from "./read-cover.ts";
import type { createDragReader } from "./read-drag.ts";
import type { createDrawingReader } from "./read-drawing.ts";
import type { createDrawnFieldReader } from "./read-drawn-fields.ts";
import type { createHandlerReader } from "./read-handlers.ts";
import type { createHiddenTextReader } from "./read-hidden-text.ts";
import type { createIconTextReader } from "./read-icon-text.ts";
import type { readListExtents } from "./read-list-extents.ts";
import type { createNameReader } from "./read-name.ts";
import type { createPickedReader } from "./read-picked.ts";
import type { createRoleReader } from "./read-role.ts";
import type { createStateReader } from "./read-states.ts";
import type { createStyleSheetReader, StyleSheetReader } from "./read-style-sheets.ts";
import type { readTree } from "./read-tree.ts";
import type { readWords } from "./read-words.ts";
import type { SeenElement, walkPage } from "./walk-page.ts";
import type { watchNotices } from "./watch-notices.ts";

/** Stays in the page as long as its document. */
export interface Scanner {
  /** As JSON text, which is transferred several times faster, unless a library of the page has changed JSON.stringify. */
  scan(): PageFacts | string;
  /** The element with this number, if its words are the same as in the latest scan. Else what has happened to it. */
  take(number: number, words: string): Element | "gone" | "changed";
}

/** Passed in, because a function that runs in a page can use nothing from outside itself. */
export interface ScanParts {
  readonly collectFacts: typeof collectFacts;
  readonly walkPage: typeof walkPage;
  readonly createClickReader: typeof createClickReader;
  readonly createCoverReader: typeof createCoverReader;
  readonly createDragReader: typeof createDragReader;
  readonly createDrawingReader: typeof createDrawingReader;
  readonly createDrawnFieldReader: typeof createDrawnFieldReader;
  readonly createHandlerReader: typeof createHandlerReader;
  readonly describeAppearance: DescribeAppearance;
  readonly readField: typeof readField;
  readonly createHiddenTextReader: typeof createHiddenTextReader;
  readonly createIconTextReader: typeof createIconTextReader;
  readonly createNameReader: typeof createNameReader;
  readonly createPickedReader: typeof createPickedReader;
  readonly createRoleReader: typeof createRoleReader;
  readonly createStateReader: typeof createStateReader;
  readonly createStyleSheetReader: typeof createStyleSheetReader;
  readonly readListExtents: typeof readListExtents;
  readonly readTree: typeof readTree;
  readonly readWords: typeof readWords;
  readonly watchNotices: typeof watchNotices;
  readonly listenersKey: string;
  readonly secretPattern: string;
  readonly invisiblePattern: string;
  readonly cutMark: string;
}

/** Runs in the page. */
export function createScanner(parts: ScanParts): Scanner {
  /** An element keeps its number as long as it is in the document. */
  const numbers = new WeakMap<Element, number>();
  let latest = new Map<number, Element>();
  let last = 0;
  const wordsOf = (element: Element) => parts.readWords(element, parts.invisiblePattern);
  const styleSheets = parts.createStyleSheetReader(parts.invisiblePattern);
  const notices = window.top === window ? parts.watchNotices() : null;

  function toComparable(text: string): string {
    // Spaces between words depend on the layout, and capitals on the style.
    return text.replace(/\s+/g, "").toLowerCase();
  }

  return {
    scan() {
      const numbered = new Map<number, Element>();
      const words = new Map<Element, string>();
      const read = parts.collectFacts(parts, {
        wordsOf: (element) => {
          const known = words.get(element) ?? wordsOf(element);
          words.set(element, known);
          return known;
        },
        styleSheets,
        numberOf: (element) => {
          last += numbers.has(element) ? 0 : 1;
          const number = numbers.get(element) ?? last;
          numbers.set(element, number);
          numbered.set(number, element);
          return number;
        },
      });
      latest = numbered;
      const facts = { ...read, notices: notices?.take() ?? [] };
      return "toJSON" in Array.prototype || "toJSON" in Object.prototype ? facts : JSON.stringify(facts);
    },
    take(number, words) {
      const element = latest.get(number);
      if (!element?.isConnected) return "gone";
      return words === "" || toComparable(wordsOf(element)) === toComparable(words) ? element : "changed";
    },
  };
}

/** What stays in the page from one scan to the next. */
interface LastingParts {
  readonly wordsOf: (element: Element) => string;
  readonly styleSheets: StyleSheetReader;
  readonly numberOf: (element: Element) => number;
}

/** Runs in the page. One pass, linear in the size of the document. */
export function collectFacts(
  parts: ScanParts,
  { wordsOf, styleSheets, numberOf }: LastingParts,
): Omit<PageFacts, "notices"> {
  const TARGETS = "a,button,input,select,textarea,summary,label,iframe,[role],[tabindex],[contenteditable]";
  const CONTROLS =
    /^(button|checkbox|combobox|link|listbox|menuitem|menuitemcheckbox|menuitemradio|option|radio|searchbox|slider|spinbutton|switch|tab|textbox|treeitem)$/;
  styleSheets.update();
  const handlers = parts.createHandlerReader(parts.listenersKey);
  const page = parts.walkPage(handlers);
  const drags = parts.createDragReader(page, handlers);
  const drawings = parts.createDrawingReader(handlers);
  const { describeAppearance } = parts;
  const drawnFields = parts.createDrawnFieldReader(page, wordsOf);
  const readClick = parts.createClickReader(page, {
    describeAppearance,
    wordsOf,
    handlers,
    pointedOnHover: styleSheets.pointedOnHover(),
    drags,
    drawings,
  });
  const secrets: string[] = [];

  /** Secrets that a field shows in clear, such as a one-time code, are in no picture of the page. */
  function showDots(element: Element): void {
    if (element.matches("input[type=password]") || !(element instanceof HTMLElement)) return;
    element.style.setProperty("-webkit-text-security", "disc", "important");
  }

  function readTarget(seen: SeenElement, index: number) {
    const target = readClick(index);
    const drawn = drawnFields.read(seen, target?.role === "generic" || seen.cursor === "pointer");
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

  function readRecord(seen: SeenElement, index: number): ElementRecord | null {
    const reading = parts.readField(seen, parts.secretPattern, parts.cutMark);
    if (reading?.secret) secrets.push(reading.secret);
    if (reading?.field?.isSecret) showDots(seen.element);
    const { target, drawn } = readTarget(seen, index);
    const isDraggable = drags.isDraggable(seen);
    if (reading === null && target === null && drawn === null && !isDraggable) return null;
    return {
      field: reading?.field ?? null,
      states: { ...reading?.states, ...target?.states, ...(isDraggable ? { draggable: true } : {}) },
      click: target === null ? null : { role: target.role, name: target.name, isKnown: target.isKnown },
      drawn,
    };
  }

  const roleOf = parts.createRoleReader();
  const roles = page.elements.map(({ element }) => roleOf(element));
  const isInControl: boolean[] = [];
  page.elements.forEach(({ parent }, index) => {
    isInControl[index] = isInControl[parent] === true || CONTROLS.test(roles[index] ?? "");
  });
  const hiddenTexts = parts.createHiddenTextReader(page, parts.invisiblePattern);
  const isIconText = parts.createIconTextReader(
    page,
    (index) =>
      CONTROLS.test(roles[index] ?? "") || /^(label|summary)$/.test(page.elements[index]?.element.localName ?? ""),
  );
  const pseudoTexts = new Map<number, string>();

  function pseudoTextOf(index: number, pseudo: "::before" | "::after"): string {
    const key = pseudo === "::before" ? index : ~index;
    const known = pseudoTexts.get(key);
    if (known !== undefined) return known;
    const element = page.elements[index]?.element;
    const text = element === undefined ? "" : styleSheets.pseudoTextOf(element, pseudo);
    pseudoTexts.set(key, text);
    return text;
  }

  /** Labels that only screen readers see are the names of controls. */
  function isReadable(piece: number): boolean {
    const owner = page.pieces[piece]?.owner ?? -1;
    if (page.elements[owner]?.visibility !== "visible" || isIconText(piece)) return false;
    return !hiddenTexts.isHidden(piece) || (isInControl[owner] === true && hiddenTexts.isLabelLike(piece));
  }

  const records = page.elements.map(readRecord);
  const isBehind = parts.createCoverReader();
  const indexOf = new Map(page.elements.map(({ element }, index) => [element, index]));
  const tree = parts.readTree(page, {
    roles,
    records,
    names: parts.createNameReader(page, { roles, indexOf, pseudoTextOf, isReadable }),
    statesOf: parts.createStateReader(page),
    pseudoTextOf,
    isReadable,
    isBehind: (index) => {
      const seen = page.elements[index];
      if (isBehind === null || seen === undefined) return false;
      return (records[index] !== null || seen.element.matches(TARGETS)) && isBehind(seen);
    },
    isMargin: (index) => {
      const seen = page.elements[index];
      return seen !== undefined && isMargin(seen);
    },
    wordsOf,
    isPicked: parts.createPickedReader(),
    numberOf,
  });
  const root = document.scrollingElement ?? document.documentElement;

  /** Only of the main frame. A page in which this fails, for example because it has no body, is observed without it. */
  function readExtents(): PageFacts["extents"] {
    try {
      return window.top === window ? parts.readListExtents(page) : [];
    } catch {
      return [];
    }
  }

  return {
    baseUrl: document.baseURI,
    // A picture or a form with this name would hide it.
    title: Reflect.get(Document.prototype, "title", document) as string,
    viewport: { width: innerWidth, height: innerHeight },
    scroll: { y: Math.round(scrollY), pageHeight: root.scrollHeight },
    tree,
    secrets,
    extents: readExtents(),
  };
}

interface FieldReading {
  readonly field: FieldRecord | null;
  readonly states: NodeStates;
  readonly secret: string | null;
}

/** Runs in the page. Null for an element that is no field and has no states of one. */
export function readField(
  { element, style, rect, cut, isClipped }: SeenElement,
  secretPattern: string,
  cutMark: string,
): FieldReading | null {
  if (!element.hasAttributes() && !/^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName)) return null;
  const explicitRole = element.getAttribute("role")?.trim().split(/\s+/)[0]?.toLowerCase() || null;

  function isSecretField(type: string): boolean {
    const autocomplete = (element.getAttribute("autocomplete") ?? "").toLowerCase();
    if (type === "password") return true;
    // Lists to search in say "new-password" so that browsers offer nothing.
    const isList = explicitRole === "combobox" || explicitRole === "searchbox" || type === "search";
    if (!isList && new RegExp(secretPattern).test(autocomplete)) return true;
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
    return { field, states: readStates(), secret: isSecret ? value : null };
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
    return { field: null, states, secret: null };
  }

  if (element instanceof HTMLInputElement) return element.type === "hidden" ? null : readInput(element);
  if (element instanceof HTMLSelectElement) return readSelect(element);
  if (element instanceof HTMLTextAreaElement) return describe("textarea", isRelay() ? null : element.value);
  return isEditingHost() ? readEditor(element as HTMLElement) : readWidget();
}
