/**
 * Runs in the page. The words of an element: what a target is called when it has no accessible name, and what is
 * compared before it is acted on. Always by this one function, so that an element that has not changed equals itself.
 */
export function readWords(element: Element, invisiblePattern: string): string {
  const root = element.getRootNode() as Document | ShadowRoot;
  const { labels, type, value } = element as HTMLInputElement;
  const isButton = element instanceof HTMLInputElement && /^(button|submit|reset)$/.test(type);

  function textOf(node: Element): string {
    // biome-ignore lint/performance/useDomNodeTextContent: words are what is rendered
    if (node instanceof HTMLElement) return node.innerText;
    // The text of a drawing is in text elements. Others hold style sheets and descriptions.
    const texts = [...node.querySelectorAll("text, foreignObject")].filter(
      (one) => !one.parentElement?.closest("text"),
    );
    return (texts.length === 0 && node.matches("text, tspan, textPath") ? [node] : texts)
      .map((one) => one.textContent ?? "")
      .join(" ");
  }

  function textOfIds(attribute: string): string {
    const ids = (element.getAttribute(attribute) ?? "").split(/\s+/).filter((id) => id !== "");
    return ids.map((id) => root.getElementById(id)?.textContent ?? "").join(" ");
  }

  /** The strings that a style sheet puts before and after the element; after a slash, its alternative text instead. */
  function styledText(pseudo: string): string {
    const [shown = "", alternative] = getComputedStyle(element, pseudo).content.split(/ \/ (?=")/);
    const strings = (alternative ?? shown).matchAll(/"((?:[^"\\]|\\.)*)"/g);
    return [...strings].map(([, text = ""]) => text.replace(/\\(.)/g, "$1")).join("");
  }

  function isField(): boolean {
    return element.matches("input,select,textarea") || (element as HTMLElement).isContentEditable;
  }

  function ofPicture(): string | null | undefined {
    const picture = element.querySelector("img[alt],svg[aria-label],[role=img][aria-label]");
    return picture?.getAttribute("alt") ?? picture?.getAttribute("aria-label");
  }

  /** What is said about a wrapper that holds nothing else. */
  function ofWrapper(): string {
    let at = element.parentElement;
    for (let level = 0; level < 3 && at !== null && at.children.length === 1; level++, at = at.parentElement) {
      const label = at.getAttribute("aria-label") || at.getAttribute("title");
      if (label) return label;
    }
    return "";
  }

  const candidates = [
    () => textOfIds("aria-labelledby"),
    () => element.getAttribute("aria-label"),
    () => [...(labels ?? [])].map(textOf).join(" "),
    () => (isButton ? value : isField() ? "" : textOf(element)),
    () => element.getAttribute("alt"),
    () => element.getAttribute("title"),
    () => element.getAttribute("placeholder"),
    ofPicture,
    () => `${styledText("::before")} ${styledText("::after")}`,
    () => (element.matches("a, button, [role=button], [role=link], [role=tab], [role=menuitem]") ? ofWrapper() : ""),
  ];
  for (const read of candidates) {
    const text = read() ?? "";
    // All of them are beyond ASCII. This runs for every target of a page.
    const visible = /[^\0-\x7f]/.test(text) ? text.replace(new RegExp(invisiblePattern, "gv"), "") : text;
    const words = visible.replace(/\s+/g, " ").trim();
    if (words !== "") return words;
  }
  return "";
}
