import type { LiveField } from "../../live-browser.ts";

/** Runs in the page. Tells of a field what kind of keyboard it wants and what it is called, never what stands in it. */
export interface FieldReader {
  kindOf(element: Element | null): LiveField["kind"] | null;
  labelOf(element: Element): string;
  shorten(text: string | null | undefined): string;
}

export function createFieldReader(): FieldReader {
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
