import type { LiveChoices, LiveField } from "./live-browser.ts";

/** What the watching script tells of its document. */
export type WatchMessage =
  | { readonly type: "field"; readonly field: LiveField | null }
  | { readonly type: "choices"; readonly choices: LiveChoices }
  /** Something has changed, perhaps only the title. */
  | { readonly type: "changed"; readonly isLarge: boolean };

/** Runs in the page. Tells of a field what kind of keyboard it wants and what it is called, never what stands in it. */
interface FieldReader {
  kindOf(element: Element | null): LiveField["kind"] | null;
  labelOf(element: Element): string;
  shorten(text: string | null | undefined): string;
}

function createFieldReader(): FieldReader {
  const MAX_LABEL = 200;
  const BY_TYPE: Partial<Record<string, LiveField["kind"]>> = {
    password: "password",
    email: "email",
    tel: "tel",
    url: "url",
    search: "search",
    number: "numeric",
  };
  const BY_MODE: Partial<Record<string, LiveField["kind"]>> = {
    numeric: "numeric",
    decimal: "numeric",
    email: "email",
    tel: "tel",
    url: "url",
    search: "search",
  };

  function shorten(text: string | null | undefined): string {
    return (text ?? "").replace(/\s+/g, " ").trim().slice(0, MAX_LABEL);
  }

  function kindOf(element: Element | null): LiveField["kind"] | null {
    const isInput = element instanceof HTMLInputElement;
    if (isInput || element instanceof HTMLTextAreaElement) {
      if (element.disabled || element.readOnly) return null;
      return isInput ? kindOfInput(element) : "text";
    }
    return element instanceof HTMLElement && element.isContentEditable ? "text" : null;
  }

  function kindOfInput({ type, inputMode, autocomplete }: HTMLInputElement): LiveField["kind"] | null {
    // A password that is shown in clear is still one.
    if (autocomplete.includes("password")) return "password";
    if (type !== "text") return BY_TYPE[type] ?? null;
    const wanted = BY_MODE[inputMode];
    if (wanted !== undefined) return wanted;
    if (autocomplete.includes("email")) return "email";
    return autocomplete.startsWith("tel") ? "tel" : "text";
  }

  function labelOf(element: Element): string {
    const [label] = (element as HTMLInputElement).labels ?? [];
    const attributes = ["placeholder", "title", "name"].map((name) => element.getAttribute(name));
    const candidates = [
      element.getAttribute("aria-label"),
      readReferences(element),
      label === undefined ? "" : readLabel(label),
    ];
    return [...candidates, ...attributes].map(shorten).find((text) => text !== "") ?? "";
  }

  function readReferences(element: Element): string {
    const ids = (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter((id) => id !== "");
    const root = element.getRootNode() as Document | ShadowRoot;
    return ids.map((id) => root.getElementById(id)?.textContent ?? "").join(" ");
  }

  /** Without the fields in it, which may say what was typed. */
  function readLabel(label: HTMLLabelElement): string {
    const copy = label.cloneNode(true) as HTMLLabelElement;
    for (const field of copy.querySelectorAll("input, select, textarea, button, [contenteditable]")) field.remove();
    return copy.textContent ?? "";
  }

  return { kindOf, labelOf, shorten };
}

/** Runs in the page. The innermost element that has the keyboard, through shadow roots. */
function findActive(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

/** Runs in the page. Tells which field has the keyboard. */
function watchFocus(say: (note: WatchMessage) => void, reader: FieldReader, find: typeof findActive): void {
  const heardRoots = new WeakSet<ShadowRoot>();
  let told = "null";

  function report(): void {
    const active = document.hasFocus() ? find() : null;
    const root = active?.getRootNode();
    // What moves inside of a shadow root is not told outside of it.
    if (root instanceof ShadowRoot && !heardRoots.has(root)) {
      heardRoots.add(root);
      root.addEventListener("focusin", reportSoon, true);
    }
    const kind = reader.kindOf(active);
    const field = kind === null || active === null ? null : { kind, label: reader.labelOf(active) };
    const text = JSON.stringify(field);
    if (text === told) return;
    told = text;
    say({ type: "field", field });
  }

  /** After the focus has arrived where it goes. */
  function reportSoon(): void {
    setTimeout(report, 0);
  }

  for (const event of ["focusin", "focusout", "focus", "blur"]) addEventListener(event, reportSoon, true);
  reportSoon();
}

/** Runs in the page. Tells that it has changed, not more often than is worth while. */
function watchChanges(say: (note: WatchMessage) => void): void {
  const PAUSE_MS = 250;
  /** So many elements that come or go may be another page to the person. */
  const LARGE = 3;
  let title = document.title;
  let count = 0;
  let isWaiting = false;

  function report(): void {
    isWaiting = false;
    const isLarge = count >= LARGE;
    count = 0;
    if (!isLarge && document.title === title) return;
    title = document.title;
    say({ type: "changed", isLarge });
  }

  function weigh({ type, addedNodes, removedNodes }: MutationRecord): number {
    if (type === "attributes") return LARGE;
    const elements = [...addedNodes, ...removedNodes].filter((node) => node instanceof Element);
    return elements.reduce((sum, { childElementCount }) => sum + 1 + childElementCount, 0);
  }

  const observer = new MutationObserver((mutations) => {
    for (const mutation of mutations) count += weigh(mutation);
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(report, PAUSE_MS);
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["hidden", "open"] });
}

/**
 * Runs in the page. Drop-down lists open in a window of their own, which no picture shows: they are told of instead of
 * being opened. Answers the function that takes a choice.
 */
function offerChoices(say: (note: WatchMessage) => void, reader: FieldReader): (index: number | null) => void {
  const MAX_OPTIONS = 2_000;
  let offered: HTMLSelectElement | null = null;

  function findDropDown(event: Event): HTMLSelectElement | null {
    const [target] = event.composedPath();
    const select = event.isTrusted && target instanceof Element ? target.closest("select") : null;
    if (select === null || select.multiple || select.size > 1 || select.disabled) return null;
    // Such lists are drawn by the page, so the picture shows them.
    return getComputedStyle(select).getPropertyValue("appearance") === "base-select" ? null : select;
  }

  function offer(event: Event): void {
    const select = findDropDown(event);
    if (select === null) return;
    event.preventDefault();
    select.focus();
    offered = select;
    const options = [...select.options].slice(0, MAX_OPTIONS).map((option) => ({
      label: reader.shorten(option.label),
      isChosen: option.selected,
      isDisabled: isDisabled(option),
    }));
    say({ type: "choices", choices: { label: reader.labelOf(select), options } });
  }

  function isDisabled(option: HTMLOptionElement): boolean {
    return option.disabled || (option.parentElement instanceof HTMLOptGroupElement && option.parentElement.disabled);
  }

  addEventListener("mousedown", (event) => event.button === 0 && offer(event), true);
  addEventListener(
    "keydown",
    (event) => {
      const isArrow = event.key === "ArrowDown" || event.key === "ArrowUp";
      if ([" ", "Enter", "F4"].includes(event.key) || (isArrow && event.altKey)) offer(event);
    },
    true,
  );

  return (index) => {
    const select = offered;
    offered = null;
    if (select === null || index === null || index === select.selectedIndex) return;
    const option = select.options[index];
    if (option === undefined || isDisabled(option)) return;
    select.selectedIndex = index;
    select.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    select.dispatchEvent(new Event("change", { bubbles: true }));
  };
}

/**
 * Runs in the page. Lets it take a paste into its own hands, as fields for one-time codes do. Answers what is left to
 * insert: nothing when the page has taken it.
 */
function offerPaste(text: string, find: typeof findActive): string {
  const active = find();
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true, composed: true });
  if (!(active ?? document.body).dispatchEvent(event)) return "";
  return active instanceof HTMLInputElement ? text.replace(/[\r\n]+/g, "") : text;
}

/** What stands in the script's world: for it to tell us, and for us to call. */
export const SEND = "errandTell";
export const CHOOSE = "errandChoose";
export const OFFER_PASTE = "errandOfferPaste";

/**
 * The functions travel as text, so each must make do with its parameters. The script may come twice to a document: with
 * it, and when somebody begins to watch.
 */
export const WATCH_SOURCE = `(() => {
  if (globalThis.${CHOOSE} !== undefined) return;
  const say = (note) => globalThis.${SEND}?.(JSON.stringify(note));
  const find = ${findActive};
  const reader = (${createFieldReader})();
  globalThis.${CHOOSE} = (${offerChoices})(say, reader);
  globalThis.${OFFER_PASTE} = (text) => (${offerPaste})(text, find);
  (${watchChanges})(say);
  (${watchFocus})(say, reader, find);
})()`;
