import type { DrawnField } from "../page-facts.ts";
import type { SeenElement, WalkedPage } from "./walk-page.ts";

export interface DrawnFieldReader {
  /** What a person takes for one field, although it is made of several elements. Null for all other elements. */
  read(seen: SeenElement, mayBeTarget: boolean): DrawnField | null;
}

/**
 * Runs in the page. Component libraries draw their own fields. The label often belongs to a native field that nobody sees,
 * and what was chosen is drawn beside an empty input, inside the frame of the field.
 */
export function createDrawnFieldReader(
  { elements }: WalkedPage,
  wordsOf: (element: Element) => string,
): DrawnFieldReader {
  const NATIVE = "select,textarea,input:not([type=hidden],[type=checkbox],[type=radio],[type=file],[type=submit])";
  const BOXES = "input[type=checkbox],input[type=radio]";
  /** The best first. */
  const STAND_INS = [
    "[role=combobox]",
    `${NATIVE},[contenteditable=true]`,
    "[role=listbox],[role=textbox]",
    "[tabindex]:not([tabindex='-1']),button,a",
  ];
  const BOUNDARIES = "body,form,main,section,article,fieldset,table,tr,td,th,dialog,[role=dialog],[role=row]";
  /** Text in these is no value: what can be pressed, what opens, and what is only spoken. */
  const NO_VALUE =
    "label,legend,button,option,svg,style,script,[role=button]:not([tabindex='-1']),[role=listbox],[role=option],[role=menu],[role=dialog],[role=tooltip],[role=status],[role=alert],[role=log],[aria-live]";
  const MAX_LEVELS = 8;
  const MAX_FRAME_PIXELS = 240;
  const MAX_UNSEEN_PIXELS = 2;
  const MAX_STAND_IN_LEVELS = 3;
  const NOTHING = {
    label: "",
    isList: false,
    isPart: false,
    isAround: false,
    value: null,
    placeholder: null,
    texts: [],
  };
  const visible = new Map(elements.map((seen) => [seen.element, seen]));
  const natives = new Set<Element>();
  const standIns = findStandIns();

  function normalize(text: string): string {
    return text.replace(/\s+/g, " ").trim();
  }

  function hasWords(text: string): boolean {
    return /[\p{L}\p{N}]/u.test(text);
  }

  function isSeen(element: Element): boolean {
    const { width, height } = element.getBoundingClientRect();
    if (width <= MAX_UNSEEN_PIXELS || height <= MAX_UNSEEN_PIXELS || !element.checkVisibility()) return false;
    if (visible.get(element)?.isClipped) return false;
    // Out of reach of the keyboard. It may be out of everybody's.
    if (element.getAttribute("tabindex") !== "-1") return true;
    const { opacity, pointerEvents } = getComputedStyle(element);
    return Number(opacity) >= 0.05 || pointerEvents !== "none";
  }

  /** Its own label, and not the text that it shows. */
  function hasLabel(element: Element, around: Element): boolean {
    if (element.getAttribute("aria-label") || (element as HTMLInputElement).labels?.length) return true;
    const ids = (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
    const named = ids.map((id) => document.getElementById(id)).filter((one) => one?.textContent?.trim());
    return named.some((one) => !around.contains(one));
  }

  /** What is drawn in place of the native field, if there is no other field around. */
  function standInIn(around: Element | null, native: Element): Element | null {
    if (around === null || !isSeen(around) || around.matches(BOUNDARIES)) return null;
    const others = [...around.querySelectorAll(`${NATIVE},label`)].filter((one) => one !== native && isSeen(one));
    if (others.length > 1 || others[0]?.matches("label")) return null;
    for (const kind of STAND_INS) {
      const all = [around, ...around.querySelectorAll(kind)].filter((one) => one !== native && one.matches(kind));
      const found = all.find((one) => isSeen(one) && (!one.matches("a,button") || hasWords(one.textContent ?? "")));
      if (found !== undefined) return found;
    }
    return null;
  }

  /** Libraries put what they draw right behind the native field, or both into one wrapper. */
  function findStandIn(native: Element): Element | null {
    const levels = [native.parentElement];
    while (levels.length < MAX_STAND_IN_LEVELS) levels.push(levels.at(-1)?.parentElement ?? null);
    const wrapper = levels.find((one) => one?.getAttribute("role") === "combobox") ?? native.nextElementSibling;
    for (const around of [wrapper, ...levels]) {
      const found = standInIn(around, native);
      if (found !== null) return found;
    }
    return null;
  }

  interface StandIn {
    readonly label: string;
    readonly isList: boolean;
  }

  /** Some libraries give the label of the native field to what they draw. */
  function addStandIn(native: Element, found: Map<Element, StandIn>): void {
    const standIn = findStandIn(native);
    if (standIn === null || found.has(standIn)) return;
    const own = hasLabel(standIn, standIn) ? wordsOf(standIn) : "";
    const label = wordsOf(native) || own;
    if (label === "" || (own !== "" && own !== label)) return;
    found.set(standIn, { label, isList: native.tagName === "SELECT" });
    natives.add(native);
  }

  function findStandIns(): Map<Element, StandIn> {
    const found = new Map<Element, StandIn>();
    for (const native of document.querySelectorAll(NATIVE)) if (!isSeen(native)) addStandIn(native, found);
    return found;
  }

  function isDrawn(color: string): boolean {
    return color !== "transparent" && !/^rgba\(.*, 0\)$/.test(color);
  }

  function hasBorder(style: CSSStyleDeclaration): boolean {
    return (["Top", "Right", "Bottom", "Left"] as const).some(
      (side) => Number.parseFloat(style[`border${side}Width`]) > 0 && isDrawn(style[`border${side}Color`]),
    );
  }

  /** Whether it looks like the frame of a field: a border or a background, its own or that of a part that fills it. */
  function isFrame(element: Element): boolean {
    const style = getComputedStyle(element);
    if (hasBorder(style) || style.boxShadow !== "none" || isDrawn(style.backgroundColor)) return true;
    if (hasBorder(getComputedStyle(element, "::before"))) return true;
    const { height } = element.getBoundingClientRect();
    return [...element.children].some((child) => {
      const own = getComputedStyle(child);
      return own.position === "absolute" && hasBorder(own) && child.getBoundingClientRect().height >= height;
    });
  }

  /** The frame around an input without one; null when the input has its own. */
  function frameAround(input: Element): Element | null {
    if (isFrame(input)) return null;
    let at = input.parentElement;
    for (let level = 0; level < MAX_LEVELS && at !== null && !at.matches(BOUNDARIES); level++, at = at.parentElement) {
      if (at.getBoundingClientRect().height > MAX_FRAME_PIXELS) return null;
      if ([...at.querySelectorAll(`${NATIVE},label`)].some((one) => one !== input && isSeen(one))) return null;
      if (isFrame(at)) return at;
    }
    return null;
  }

  function isVisibleText(owner: Element): boolean {
    const seen = visible.get(owner);
    return seen?.isRendered === true && !seen.isClipped && seen.cut === "none" && seen.opacity >= 0.05;
  }

  /** What authors call so, or what only describes the field. */
  function isPlaceholder(element: Element, frame: Element, described: readonly string[]): boolean {
    for (let at: Element | null = element; at !== null && at !== frame; at = at.parentElement) {
      if (/placeholder/i.test(`${at.id} ${at.getAttribute("class") ?? ""}`) || described.includes(at.id)) return true;
    }
    return false;
  }

  function blockOf(element: Element, frame: Element): Element {
    let at = element;
    while (at !== frame && at.parentElement !== null && getComputedStyle(at).display === "inline")
      at = at.parentElement;
    return at;
  }

  /** The text nodes that may be part of a value. */
  function textsIn(frame: Element): { text: string; owner: Element }[] {
    const texts: { text: string; owner: Element }[] = [];
    const walker = document.createTreeWalker(frame, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const { nodeValue: text, parentElement: owner } = node;
      if (text === null || owner === null || normalize(text) === "" || !isVisibleText(owner)) continue;
      const excluded = (chosenListAround(owner)?.parentElement ?? owner).closest(NO_VALUE);
      if (excluded === null || excluded === frame || !frame.contains(excluded)) texts.push({ text, owner });
    }
    return texts;
  }

  /** A list of only what is chosen, inside the field. */
  function chosenListAround(owner: Element): Element | null {
    if (owner.closest(NO_VALUE)?.getAttribute("role") !== "option") return null;
    const list = owner.closest("[role=listbox]");
    const options = [...(list?.querySelectorAll("[role=option]") ?? [])];
    return options.every((option) => option.getAttribute("aria-selected") === "true") ? list : null;
  }

  function chosenIn(field: Element): string[] {
    const ids = ["aria-controls", "aria-owns"].flatMap((name) => (field.getAttribute(name) ?? "").split(/\s+/));
    const lists = ids.map((id) => (id === "" ? null : document.getElementById(id)));
    const chosen = lists.flatMap((list) => [...(list?.querySelectorAll("[role=option][aria-selected=true]") ?? [])]);
    return chosen.map(({ textContent }) => normalize(textContent ?? ""));
  }

  function readTexts(frame: Element, field: Element): Pick<DrawnField, "value" | "placeholder" | "texts"> {
    const described = (field.getAttribute("aria-describedby") ?? "").split(/\s+/).filter(Boolean);
    const blocks = Map.groupBy(textsIn(frame), ({ owner }) => blockOf(owner, frame));
    const read = [...blocks.values()].map((parts) => ({
      text: normalize(parts.map(({ text }) => text).join("")),
      isHint: parts.every(({ owner }) => isPlaceholder(owner, frame, described)),
    }));
    // Some libraries call what was chosen a placeholder. The list of the field says that it was chosen.
    for (const part of read) part.isHint &&= !chosenIn(field).includes(part.text);
    const values = read.filter(({ text, isHint }) => !isHint && hasWords(text)).map(({ text }) => text);
    const placeholder = read.find(({ isHint }) => isHint)?.text ?? null;
    return { value: values.join(", "), placeholder, texts: read.map(({ text }) => text) };
  }

  function isList(element: Element): boolean {
    if (element.getAttribute("role") === "combobox") return true;
    const popup = element.getAttribute("aria-haspopup");
    return element instanceof HTMLInputElement && (popup === "listbox" || popup === "true");
  }

  function readShown(element: Element): Pick<DrawnField, "value" | "placeholder" | "texts"> | null {
    if (element instanceof HTMLInputElement) {
      if (element.value !== "" || !(isList(element) || standIns.get(element)?.isList)) return null;
      const frame = frameAround(element);
      return frame === null ? null : readTexts(frame, element);
    }
    const isOwn = element.getAttribute("role") === "combobox" || standIns.get(element)?.isList === true;
    const inner = [...element.querySelectorAll<HTMLInputElement>(NATIVE)].filter(isSeen);
    return isOwn && inner.every(({ value }) => value === "") ? readTexts(element, element) : null;
  }

  /** A copy for forms that is out of everybody's reach, or the text of a list with the role of a field. */
  function isPart({ element, opacity, isClipped }: SeenElement): boolean {
    if (natives.has(element)) return true;
    if (element.getAttribute("role") === "textbox" && element.getAttribute("aria-readonly") === "true")
      return !element.matches(NATIVE) && element.parentElement?.closest("[role=combobox]") !== null;
    if (element.getAttribute("aria-hidden") !== "true" || !element.matches(NATIVE)) return false;
    return (element as HTMLElement).tabIndex < 0 && (opacity < 0.05 || isClipped || !isSeen(element));
  }

  /** A label is the target only of a box that is not there itself. */
  function isLabelOfBox(element: Element): boolean {
    const control = element instanceof HTMLLabelElement ? element.control : null;
    return control?.matches(BOXES) === true && visible.get(control)?.visibility === "visible";
  }

  /** Whether it is only the surroundings of a field, and a click on it goes to the field. */
  function isAround(element: Element): boolean {
    if (!element.matches("div,span,label") || element.hasAttribute("role")) return false;
    if (isLabelOfBox(element)) return true;
    const field = element.querySelector(`${NATIVE},[role=combobox],${BOXES}`);
    if (field === null || element.matches("label")) return false;
    if (field.matches(BOXES)) return !hasWords(wordsOf(element));
    const shown = readShown(field)?.texts ?? [];
    return readTexts(element, field).texts.every((text) => !hasWords(text) || shown.includes(text));
  }

  return {
    read(seen, mayBeTarget) {
      const { element } = seen;
      if (isPart(seen)) return { ...NOTHING, isPart: true };
      const standIn = standIns.get(element);
      if (standIn === undefined && !isList(element))
        return mayBeTarget && isAround(element) ? { ...NOTHING, isAround: true } : null;
      const shown = readShown(element);
      return standIn === undefined && shown === null ? null : { ...NOTHING, ...standIn, ...shown };
    },
  };
}
