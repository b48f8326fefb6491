import type { Box, NodeStates } from "../observation.ts";
import type { ElementRecord, FieldRecord, PageFacts } from "../page-facts.ts";
import type { createClickReader, DescribeAppearance } from "./read-click-target.ts";
import type { readHiddenText } from "./read-hidden-text.ts";
import type { SeenElement, walkPage } from "./walk-page.ts";

export interface Collected {
  readonly facts: PageFacts;
  /** The elements of the click records, by index. */
  readonly clickable: readonly Element[];
}

/** Passed in, because a function that runs in a page can use nothing from outside itself. */
export interface ScanParts {
  readonly walkPage: typeof walkPage;
  readonly createClickReader: typeof createClickReader;
  readonly describeAppearance: DescribeAppearance;
  readonly readField: typeof readField;
  readonly readHiddenText: typeof readHiddenText;
  readonly listenersKey: string;
  readonly secretPattern: string;
  readonly invisiblePattern: string;
}

/** Runs in the page. One pass, linear in the size of the document. */
export function collectFacts(parts: ScanParts): Collected {
  const MAX_ANCESTORS = 10;
  const page = parts.walkPage();
  const readClick = parts.createClickReader(page, parts);
  const records: ElementRecord[] = [];
  const secrets: string[] = [];
  const clickable: Element[] = [];

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
    const reading = parts.readField(seen.element, seen.style, parts.secretPattern);
    if (reading?.secret) secrets.push(reading.secret);
    const target = readClick(index);
    if (reading === null && target === null) return;
    records.push({
      box: boxOf(seen),
      roles: reading === null ? null : reading.roles,
      field: reading?.field ?? null,
      states: reading?.states ?? {},
      click: target === null ? null : { ...target, index: clickable.push(seen.element) - 1, within: boxesAround(seen) },
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
  return { facts, clickable };
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

  function isEditingHost(): boolean {
    if (!(element instanceof HTMLElement) || !element.isContentEditable) return false;
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
    return describe("contenteditable", (element as HTMLElement).innerText.replace(/\s+/g, " ").trim());
  }
  return readWidget();
}
