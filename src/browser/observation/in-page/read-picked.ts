/**
 * Runs in the page. Returns whether an element is drawn as the selected one among others of its kind, by a class that these do
 * not have. Many applications say so in no other way. What ARIA says about an element is the better source.
 */
export function createPickedReader(): (element: Element) => boolean {
  const PICKED = /^(?:.*[-_])?(?:is[-_]?)?(?:selected|active|current)(?:__.*)?$/i;
  const STATED = "[aria-selected], [aria-current], [aria-pressed], [aria-checked], [aria-expanded], input, option";
  const MAX_OTHERS = 200;

  function findMark(element: Element): string | null {
    return [...element.classList].find((name) => PICKED.test(name)) ?? null;
  }

  /** Others beside it, or beside what wraps each of them, that look alike but for the mark. */
  function isMarkedAmongOthers(element: Element): boolean {
    const mark = findMark(element);
    if (mark === null) return false;
    const shared = [...element.classList].filter((name) => name !== mark);
    const isAlike = (other: Element) =>
      other.localName === element.localName && shared.every((name) => other.classList.contains(name));
    const beside = [...(element.parentElement?.children ?? [])].slice(0, MAX_OTHERS);
    const wrapped = [...(element.parentElement?.parentElement?.children ?? [])]
      .slice(0, MAX_OTHERS)
      .flatMap((wrapper) => (wrapper.childElementCount === 1 ? [...wrapper.children] : []));
    const others = [...beside, ...wrapped].filter((other) => other !== element && isAlike(other));
    return others.some((other) => !other.classList.contains(mark));
  }

  return (element) => {
    if (element.matches(STATED)) return false;
    if (isMarkedAmongOthers(element)) return true;
    const { parentElement } = element;
    // The item of a list of tabs is marked, and takes its clicks with a link.
    return (
      parentElement?.localName === "li" && parentElement.childElementCount === 1 && isMarkedAmongOthers(parentElement)
    );
  };
}
