import type { WalkedPage } from "./walk-page.ts";

export interface NameReader {
  /** The accessible name of an element by its index; empty for none. */
  nameOf(index: number): string;
}

interface NameReaderParts {
  /** By index, like the other lists: null for none. */
  readonly roles: readonly (string | null)[];
  readonly indexOf: ReadonlyMap<Element, number>;
  /** Texts that a style sheet puts before and after the content of an element. */
  readonly pseudoTextOf: (index: number, pseudo: "::before" | "::after") => string;
  /** Whether a piece of text counts, by its index: nobody should read what is hidden. */
  readonly isReadable: (piece: number) => boolean;
}

/** Runs in the page. Names elements as the specification of accessible names says, which screen readers follow. */
export function createNameReader(
  { elements, pieces }: WalkedPage,
  { roles, indexOf, pseudoTextOf, isReadable }: NameReaderParts,
): NameReader {
  const NAMED_BY_CONTENT =
    /^(button|cell|checkbox|columnheader|gridcell|heading|link|menuitem|menuitemcheckbox|menuitemradio|option|radio|rowheader|switch|tab|tooltip|treeitem)$/;
  const NEVER_NAMED =
    /^(caption|code|definition|deletion|emphasis|generic|insertion|mark|none|paragraph|presentation|strong|subscript|superscript|term|time)$/;
  /** The content of these is no part of a name around them. */
  const CLOSED =
    /^(alert|alertdialog|application|article|banner|blockquote|complementary|dialog|directory|document|feed|figure|form|grid|group|img|log|main|marquee|math|menubar|meter|navigation|note|progressbar|radiogroup|scrollbar|search|separator|status|tablist|tabpanel|timer|toolbar|tree|treegrid)$/;
  const FIELD_ROLES = /^(combobox|listbox|searchbox|slider|spinbutton|textbox)$/;
  const NUMBERS = /^(progressbar|scrollbar|slider|spinbutton|meter)$/;
  const FIELDS = "input,select,textarea,meter,progress,output,button";
  const TYPED = /^(text|password|number|search|tel|email|url)$/;
  const MAX_CHARS = 2_000;
  const MAX_HIDDEN_CHARS = 120;
  const spoken: (string | undefined)[] = [];

  function attribute(element: Element, name: string): string {
    return element.getAttribute(name)?.trim() ?? "";
  }

  function isAriaHidden(element: Element): boolean {
    return element.getAttribute("aria-hidden") === "true";
  }

  function elementsOfIds(element: Element, name: string): Element[] {
    const ids = attribute(element, name).split(/\s+/).filter(Boolean);
    const root = element.getRootNode() as Document | ShadowRoot;
    return ids.flatMap((id) => root.getElementById?.(id) ?? []);
  }

  /** What is referred to may be hidden, then all of its text counts. */
  function referredText(element: Element, except: Element): string {
    const index = indexOf.get(element);
    const isShown = index !== undefined && elements[index]?.visibility === "visible" && !isAriaHidden(element);
    const content = isShown ? imageText(element) || contentOf(index, except).trim() : "";
    return attribute(element, "aria-label") || content || attribute(element, "title") || hiddenText(element, except);
  }

  /** All text of a label that only screen readers see. Only controls are called by it, as they are by their own text. */
  function hiddenText({ textContent }: Element, named: Element): string {
    const role = roles[indexOf.get(named) ?? -1] ?? "";
    return NAMED_BY_CONTENT.test(role) || FIELD_ROLES.test(role) ? (textContent ?? "").slice(0, MAX_HIDDEN_CHARS) : "";
  }

  function labelledText(element: Element): string {
    if (!element.hasAttribute("aria-labelledby")) return "";
    const referred = elementsOfIds(element, "aria-labelledby").map((one) => referredText(one, element));
    return referred.join(" ").trim();
  }

  function imageText(element: Element): string {
    if (element.localName === "img" || element.localName === "area")
      return attribute(element, "alt") || attribute(element, "title");
    if (!(element instanceof SVGElement)) return "";
    const title = [...element.children].find((child) => child.localName === "title");
    return title?.textContent?.trim() ?? "";
  }

  function buttonText(element: Element): string | null {
    if (!(element instanceof HTMLInputElement)) return null;
    const { type, value, labels } = element;
    if (/^(button|submit|reset)$/.test(type)) {
      const standard = { submit: "Submit", reset: "Reset" }[type] ?? attribute(element, "title");
      return value.trim() || standard;
    }
    if (type !== "file" && type !== "image") return null;
    if (labels !== null && labels.length > 0) return labelsText(element);
    if (type === "file") return "Choose File";
    return attribute(element, "alt") || attribute(element, "title") || "Submit";
  }

  function labelsText(element: Element): string {
    const labels = [...((element as HTMLInputElement).labels ?? [])];
    // A label around another one has its text.
    return labels
      .filter((label) => !labels.some((other) => other !== label && other.contains(label)))
      .map((label) => referredText(label, element).trim())
      .filter(Boolean)
      .join(" ");
  }

  /** What a field holds is part of the sentence around it: "Ring me in [5] minutes". Null for what is no field. */
  function valueText(index: number, element: Element): string | null {
    const role = roles[index] ?? "";
    if (role === "menu") return "";
    if (NUMBERS.test(role)) return numberText(element);
    if (role === "combobox" || role === "listbox") return chosenText(element);
    if (role !== "textbox" && role !== "searchbox") return null;
    return element.matches("input,textarea") ? shownValue(element as HTMLInputElement) : (element.textContent ?? "");
  }

  function numberText(element: Element): string {
    const stated = element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow");
    return stated ?? (element instanceof HTMLInputElement ? element.value : attribute(element, "value"));
  }

  function chosenText(element: Element): string {
    if (element instanceof HTMLSelectElement) return [...element.selectedOptions].map(({ label }) => label).join(" ");
    if (element instanceof HTMLInputElement) return element.value;
    const chosen = [...element.querySelectorAll("[role=option][aria-selected=true]")];
    return chosen.map(({ textContent }) => textContent ?? "").join(" ");
  }

  function shownValue({ type, value }: HTMLInputElement): string {
    return type === "password" ? "" : value;
  }

  /** What an element adds to the name of an element around it. */
  function spokenOf(index: number): string {
    const known = spoken[index];
    if (known !== undefined) return known;
    // An element may refer to one around itself.
    spoken[index] = "";
    const text = readSpoken(index);
    spoken[index] = text;
    return text;
  }

  function readSpoken(index: number): string {
    const seen = elements[index];
    if (seen === undefined || isAriaHidden(seen.element)) return "";
    const { element, display } = seen;
    const role = roles[index] ?? "";
    const text =
      labelledText(element) ||
      (valueText(index, element) ??
        (attribute(element, "aria-label") ||
          (buttonText(element) ??
            (imageText(element) || (CLOSED.test(role) ? "" : contentOf(index, null)) || attribute(element, "title")))));
    return display === "inline" && element.localName !== "br" ? text : ` ${text} `;
  }

  function contentOf(index: number, except: Element | null): string {
    let text = pseudoTextOf(index, "::before");
    for (const child of elements[index]?.content ?? []) {
      text += child < 0 ? pieceText(~child) : spokenWithout(child, except);
      if (text.length > MAX_CHARS) return text.slice(0, MAX_CHARS);
    }
    return text + pseudoTextOf(index, "::after");
  }

  function pieceText(piece: number): string {
    return isReadable(piece) ? (pieces[piece]?.text ?? "") : "";
  }

  /** A label around a field has its text without the field. */
  function spokenWithout(index: number, except: Element | null): string {
    const element = elements[index]?.element;
    if (except === null || element?.contains(except) !== true) return spokenOf(index);
    return element === except ? "" : contentOf(index, except);
  }

  function nativeName(index: number, element: Element): string {
    const button = buttonText(element);
    if (button !== null) return button;
    switch (element.localName) {
      case "fieldset":
        return childText(element, "legend");
      case "figure":
        return childText(element, "figcaption");
      case "table":
        return childText(element, "caption") || attribute(element, "summary");
      case "optgroup":
        return attribute(element, "label");
      default:
        if (!element.matches(FIELDS)) return imageText(element);
        return labelsText(element) || (NAMED_BY_CONTENT.test(roles[index] ?? "") ? "" : placeholderOf(element));
    }
  }

  function childText(element: Element, tag: string): string {
    const child = [...element.children].find((one) => one.localName === tag);
    return child === undefined ? "" : referredText(child, element);
  }

  function placeholderOf(element: Element): string {
    const title = attribute(element, "title");
    const mayHold =
      element.localName === "textarea" ||
      (element.localName === "input" && TYPED.test((element as HTMLInputElement).type));
    return title || (mayHold ? attribute(element, "placeholder") : "");
  }

  // From the last to the first, so that no call has to go deep: a page may nest as deep as it likes.
  for (let index = elements.length - 1; index >= 0; index--) spokenOf(index);

  return {
    nameOf(index) {
      const seen = elements[index];
      const role = roles[index] ?? "";
      if (seen === undefined || NEVER_NAMED.test(role)) return "";
      const { element } = seen;
      if (/^i?frame$/.test(element.localName)) return attribute(element, "title") || attribute(element, "name");
      // Part of how a field is drawn, for example.
      if (role === "group" && element.closest("[aria-hidden=true]") !== null) return "";
      const isNamedByContent = NAMED_BY_CONTENT.test(role) || (role === "" && element.localName === "summary");
      const name =
        labelledText(element) ||
        attribute(element, "aria-label") ||
        nativeName(index, element).trim() ||
        (isNamedByContent ? contentOf(index, null).trim() : "") ||
        attribute(element, "title");
      return name.replace(/\s+/g, " ").trim();
    },
  };
}
