/** Watches for notices that appear and vanish between two observations of a page, such as "Saved". */
export interface NoticeWatch {
  /** The notices that have vanished since the last call. */
  take(): string[];
}

/**
 * Runs in the page. A notice is a short text in a live region, or in something that stays in place while the page scrolls. A
 * dialog stays in place too: what a form in it loses was no notice, nor what it asked, once that has been observed.
 */
export function watchNotices(): NoticeWatch {
  const MAX_NOTICES = 5;
  const MAX_SHOWN = 50;
  const MAX_CHANGED = 200;
  const LENGTHS = { min: 3, max: 300 };
  const LIVE = "[role=alert], [role=status], [role=log], [aria-live=polite], [aria-live=assertive]";
  const FIELDS = "input:not([type=hidden]), select, textarea, [contenteditable=true]";
  const CONTROLS = "button, input, select, textarea, a[href], [role=button], [role=link]";
  const SECRET = "input[type=password], input[autocomplete*=one-time-code], input[autocomplete*=cc-]";
  const BUSY = /^(?:loading|please wait|fetching)\b/i;
  /** A notice may fade in: it is looked at for some frames. */
  const MAX_LOOKS = 60;
  const changed = new Map<Element, number>();
  const shown = new Map<Element, string>();
  /** Of those shown: what was there when the page was last observed, in something with controls. */
  const asked = new Set<Element>();
  const secrets = new Set<string>();
  let gone: string[] = [];

  /** Only what can be seen: a notice may contain text that nobody sees. */
  function readNotice(element: Element): string {
    if (!isVisible(element)) return "";
    const texts: string[] = [];
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (node.parentElement !== null && isVisible(node.parentElement)) texts.push(node.nodeValue ?? "");
    return texts.join(" ").replace(/\s+/g, " ").trim();
  }

  function findFixed(element: Element): Element | null {
    for (let up: Element | null = element; up !== null; up = up.parentElement)
      if (getComputedStyle(up).position === "fixed") return up;
    return null;
  }

  function hasFields(element: Element): boolean {
    return [...element.querySelectorAll(FIELDS)].some((field) => field.checkVisibility({ visibilityProperty: true }));
  }

  function isAsking(element: Element): boolean {
    const fixed = element.closest(LIVE) === null ? findFixed(element) : null;
    return fixed !== null && fixed.querySelector(CONTROLS) !== null;
  }

  function isVisible(element: Element): boolean {
    if (!element.isConnected) return false;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const { left, top, right, bottom } = element.getBoundingClientRect();
    if (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight) return false;
    for (let up: Element | null = element; up !== null; up = up.parentElement) if (isCutAway(up)) return false;
    return true;
  }

  /** Text for screen readers is in a box of one pixel, or clipped to nothing. */
  function isCutAway(element: Element): boolean {
    const { overflow, clip, clipPath, fontSize } = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    const isTiny = Math.min(width, height) <= 2 && overflow !== "visible";
    return isTiny || clip !== "auto" || /inset\((?:50|100)%/.test(clipPath) || Number.parseFloat(fontSize) < 3;
  }

  function isNotice(element: Element, text: string): boolean {
    const { min, max } = LENGTHS;
    if (text.length < min || text.length > max || BUSY.test(text)) return false;
    if (element.closest(LIVE) !== null) return true;
    const fixed = findFixed(element);
    return fixed !== null && !hasFields(fixed);
  }

  function noteSecrets(): void {
    for (const field of document.querySelectorAll<HTMLInputElement>(SECRET))
      if (field.value.length > 3) secrets.add(field.value);
  }

  /** What has changed and is a notice now. */
  function notice(): void {
    noteSecrets();
    for (const [element, looks] of changed) {
      const text = shown.size < MAX_SHOWN ? readNotice(element) : "";
      if (isNotice(element, text)) shown.set(element, text);
      if (text !== "" || !element.isConnected || looks >= MAX_LOOKS) changed.delete(element);
      else changed.set(element, looks + 1);
    }
    if (changed.size > 0) requestAnimationFrame(notice);
  }

  function sweep(): void {
    for (const [element, text] of shown) {
      if (readNotice(element) === text) continue;
      shown.delete(element);
      if (!asked.delete(element) && ![...secrets].some((secret) => text.includes(secret)))
        gone = [...new Set([...gone, text])].slice(-MAX_NOTICES);
    }
  }

  function elementsIn({ type, target, addedNodes }: MutationRecord): Element[] {
    const nodes = type === "characterData" ? [target] : [...addedNodes];
    const elements = nodes.map((node) => (node instanceof Element ? node : node.parentElement));
    return elements.filter((element) => element !== null && element !== document.body) as Element[];
  }

  const observer = new MutationObserver((mutations) => {
    sweep();
    if (changed.size === 0) requestAnimationFrame(notice);
    for (const element of mutations.flatMap(elementsIn)) if (changed.size < MAX_CHANGED) changed.set(element, 0);
  });
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  return {
    take() {
      notice();
      sweep();
      for (const element of shown.keys()) if (isAsking(element)) asked.add(element);
      return gone.splice(0);
    },
  };
}
