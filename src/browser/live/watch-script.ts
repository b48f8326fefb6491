import type { LiveChoices, LiveField } from "./live-browser.ts";

/*
 * The script that watches a document of the live view. Its functions are sent to the page as source text, so each may
 * only use its parameters and locals.
 */

/** A message of the watch script. */
export type WatchMessage =
  | { readonly type: "field"; readonly field: LiveField | null }
  | { readonly type: "choices"; readonly choices: LiveChoices }
  /** The document has changed, perhaps only its title. */
  | { readonly type: "changed"; readonly isLarge: boolean };

/** Runs in the page. Reads the keyboard type and the label of a field, never its value. */
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
    // A password that is shown as plain text is still one.
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

  /** Without the fields inside the label, which may contain typed text. */
  function readLabel(label: HTMLLabelElement): string {
    const copy = label.cloneNode(true) as HTMLLabelElement;
    for (const field of copy.querySelectorAll("input, select, textarea, button, [contenteditable]")) field.remove();
    return copy.textContent ?? "";
  }

  return { kindOf, labelOf, shorten };
}

/** Runs in the page. The innermost focused element, through shadow roots. */
function findActive(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

/** Runs in the page. Reports the focused field. */
function watchFocus(send: (message: WatchMessage) => void, reader: FieldReader, find: typeof findActive): void {
  const watchedRoots = new WeakSet<ShadowRoot>();
  let reported = "null";

  function report(): void {
    const active = document.hasFocus() ? find() : null;
    const root = active?.getRootNode();
    // Focus changes inside a shadow root cause no event outside of it.
    if (root instanceof ShadowRoot && !watchedRoots.has(root)) {
      watchedRoots.add(root);
      root.addEventListener("focusin", reportSoon, true);
    }
    const kind = reader.kindOf(active);
    const field = kind === null || active === null ? null : { kind, label: reader.labelOf(active) };
    const text = JSON.stringify(field);
    if (text === reported) return;
    reported = text;
    send({ type: "field", field });
  }

  /** After the focus change is complete. */
  function reportSoon(): void {
    setTimeout(report, 0);
  }

  for (const event of ["focusin", "focusout", "focus", "blur"]) addEventListener(event, reportSoon, true);
  reportSoon();
}

/** Runs in the page. Reports changes of the document, at a limited rate. */
function watchChanges(send: (message: WatchMessage) => void): void {
  const PAUSE_MS = 250;
  /** This many added or removed elements may be a new page to the person. */
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
    send({ type: "changed", isLarge });
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
 * Runs in the page. Drop-down lists open in a native window, which the screencast does not show, so their options are
 * reported instead. Returns the function that applies a choice.
 */
function offerChoices(send: (message: WatchMessage) => void, reader: FieldReader): (index: number | null) => void {
  const MAX_OPTIONS = 2_000;
  let offered: HTMLSelectElement | null = null;

  function findDropDown(event: Event): HTMLSelectElement | null {
    const [target] = event.composedPath();
    const select = event.isTrusted && target instanceof Element ? target.closest("select") : null;
    if (select === null || select.multiple || select.size > 1 || select.disabled) return null;
    // Such lists are part of the page, so the screencast shows them.
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
    send({ type: "choices", choices: { label: reader.labelOf(select), options } });
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
 * Runs in the page. Lets the page handle a paste itself, as fields for one-time codes do. Returns the text that is left to
 * insert: nothing when the page has handled it.
 */
function offerPaste(text: string, find: typeof findActive): string {
  const active = find();
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true, composed: true });
  if (!(active ?? document.body).dispatchEvent(event)) return "";
  return active instanceof HTMLInputElement ? text.replace(/[\r\n]+/g, "") : text;
}

/** Global names in the isolated world of the script: one for its messages, two for calls into it. */
export const SEND = "errandSend";
export const CHOOSE = "errandChoose";
export const OFFER_PASTE = "errandOfferPaste";

/** May run twice in a document: when the document is created, and when the watch starts. */
export const WATCH_SOURCE = `(() => {
  if (globalThis.${CHOOSE} !== undefined) return;
  const send = (message) => globalThis.${SEND}?.(JSON.stringify(message));
  const find = ${findActive};
  const reader = (${createFieldReader})();
  globalThis.${CHOOSE} = (${offerChoices})(send, reader);
  globalThis.${OFFER_PASTE} = (text) => (${offerPaste})(text, find);
  (${watchChanges})(send);
  (${watchFocus})(send, reader, find);
})()`;
