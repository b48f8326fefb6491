export interface StyleSheetReader {
  /** Reads what has changed since the last time. Call it before the others. */
  update(): void;
  /** Matches the elements that get a pointer cursor only while the mouse is over them or around them. May be empty. */
  pointedOnHover(): string;
  /** The text that a style sheet puts before or after the content of an element. */
  pseudoTextOf(element: Element, pseudo: "::before" | "::after"): string;
}

/** Runs in the page. Stays there with its document, because reading the rules of large style sheets takes long. */
export function createStyleSheetReader(invisiblePattern: string): StyleSheetReader {
  const INVISIBLE = new RegExp(invisiblePattern, "gv");
  const PSEUDO = /::?(before|after)/g;
  /** Asking about more selectors than this takes longer than asking for the style. */
  const MAX_SELECTORS = 200;
  const known = new WeakMap<CSSStyleSheet, SheetFindings>();
  let pointed = "";
  /** Null when any element may have such a text. */
  let decorated: string | null = null;

  interface SheetFindings {
    readonly count: number;
    readonly pointed: readonly string[];
    /** Null when the rules cannot be read. */
    readonly decorated: readonly string[] | null;
  }

  function* rulesIn(rules: CSSRuleList): Generator<CSSStyleRule> {
    for (const rule of rules) {
      if (rule instanceof CSSStyleRule) yield rule;
      if (rule instanceof CSSImportRule && rule.styleSheet !== null) yield* rulesIn(rule.styleSheet.cssRules);
      else if ("cssRules" in rule) yield* rulesIn(rule.cssRules as CSSRuleList);
    }
  }

  function isValid(selector: string): boolean {
    try {
      document.documentElement.matches(selector);
      return true;
    } catch {
      return false;
    }
  }

  /** Icons of a font are no text. */
  function hasText(content: string): boolean {
    if (content === "" || content === "none" || content === "normal") return false;
    return content.replace(INVISIBLE, "").replace(/["'\s]/g, "") !== "";
  }

  function toElements(selector: string): string {
    return selector.replace(/(^|[\s>+~,])(?=::?(?:before|after))/g, "$1*").replace(PSEUDO, "");
  }

  function read(sheet: CSSStyleSheet): SheetFindings {
    try {
      const rules = [...rulesIn(sheet.cssRules)];
      const selectors = rules.filter(isDecorating).map(({ selectorText }) => toElements(selectorText));
      // A nested rule is about the rule around it.
      const isKnown = selectors.every((selector) => !selector.includes("&") && isValid(selector));
      const hovered = rules.flatMap(hoveredBy);
      return { count: sheet.cssRules.length, pointed: hovered, decorated: isKnown ? selectors : null };
    } catch {
      // The style sheet of another site cannot be read.
      return { count: -1, pointed: [], decorated: null };
    }
  }

  function isDecorating({ style, selectorText }: CSSStyleRule): boolean {
    return /before|after/.test(selectorText) && hasText(style.content);
  }

  function hoveredBy({ style, selectorText }: CSSStyleRule): string[] {
    if (style.cursor !== "pointer" || !selectorText.includes(":hover")) return [];
    const selector = selectorText.replaceAll(":hover", "");
    return /[\w\])]\s*$/.test(selector) && isValid(selector) ? [selector] : [];
  }

  function countRules(sheet: CSSStyleSheet): number {
    try {
      return sheet.cssRules.length;
    } catch {
      return -1;
    }
  }

  function findIn(sheet: CSSStyleSheet): SheetFindings {
    const found = known.get(sheet);
    const fresh = found !== undefined && found.count === countRules(sheet) ? found : read(sheet);
    known.set(sheet, fresh);
    return fresh;
  }

  function mayHaveText(element: Element): boolean {
    return decorated === null || element.getRootNode() !== document || (decorated !== "" && element.matches(decorated));
  }

  return {
    update() {
      // A picture or a form with this name would hide them.
      const linked = Reflect.get(Document.prototype, "styleSheets", document) as StyleSheetList;
      const found = [...linked, ...document.adoptedStyleSheets].map(findIn);
      pointed = found.flatMap((one) => one.pointed).join(",");
      const selectors = found.map((one) => one.decorated);
      const all = selectors.flatMap((one) => one ?? []);
      decorated = selectors.includes(null) || all.length > MAX_SELECTORS ? null : all.join(",");
    },
    pointedOnHover: () => pointed,
    pseudoTextOf(element, pseudo) {
      if (!mayHaveText(element)) return "";
      const style = getComputedStyle(element, pseudo);
      const { content } = style;
      if (!hasText(content) || style.display === "none" || style.visibility !== "visible") return "";
      // After a slash stands the text for those who do not see it.
      const [shown = "", alternative] = content.split(/ \/ (?=["a])/);
      const parts = (alternative ?? shown).matchAll(/"((?:[^"\\]|\\.)*)"|attr\(([\w-]+)\)/g);
      const texts = [...parts].map(
        ([, string, name]) => string?.replace(/\\(.)/g, "$1") ?? element.getAttribute(name ?? "") ?? "",
      );
      return style.display === "inline" ? texts.join("") : ` ${texts.join("")} `;
    },
  };
}
