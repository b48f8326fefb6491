import type { HandlerReader } from "./read-handlers.ts";

export interface DrawingReader {
  /** Whether it is a shape with its label, and takes clicks. */
  isGroup(element: Element): boolean;
  /** Whether a group around it stands for it: its label, or the shape that fills it. */
  isPartOfGroup(element: Element): boolean;
}

/**
 * Runs in the page. In drawings (SVG) a node of a diagram is a group of shapes and text, and its listeners are on any of
 * them, or on the drawing around all of them. The group is what a person sees and clicks.
 */
export function createDrawingReader(handlers: HandlerReader): DrawingReader {
  const SHAPES = "rect, circle, ellipse, path, polygon, polyline, line, image, use";
  const MAX_CHARS = 200;
  const MAX_LEVELS_ABOVE = 3;
  const MIN_SHARE = 0.5;
  const groupsOf = new Map<Element, Set<Element>>();

  function findGroup(text: Element, drawing: Element): Element | null {
    for (let at = text.parentElement; at !== null && at !== drawing; at = at.parentElement) {
      if (at.tagName === "g" && at.querySelector(SHAPES) !== null) return at;
    }
    return null;
  }

  function takesClicks(element: Element): boolean {
    return handlers.read(element).hasClick || /pointer|grab|move/.test(getComputedStyle(element).cursor);
  }

  function isListenedAbove(drawing: Element): boolean {
    let at: Element | null = drawing;
    for (let level = 0; at !== null && level < MAX_LEVELS_ABOVE; level++, at = at.parentElement) {
      if (handlers.read(at).hasClick) return true;
    }
    return false;
  }

  function findGroups(drawing: Element): Set<Element> {
    const found = new Set<Element>();
    for (const text of drawing.querySelectorAll("text, foreignObject")) {
      const group = findGroup(text, drawing);
      if (group !== null) found.add(group);
    }
    const isListened = found.size > 0 && isListenedAbove(drawing);
    const innermost = [...found].filter(
      (group) => ![...found].some((other) => other !== group && group.contains(other)),
    );
    return new Set(
      innermost.filter(
        (group) =>
          (group.textContent ?? "").length <= MAX_CHARS &&
          (isListened || takesClicks(group) || [...group.querySelectorAll("*")].some(takesClicks)),
      ),
    );
  }

  function groupsAround(element: Element): Set<Element> {
    const drawing = element.closest("svg");
    if (drawing === null) return new Set();
    const groups = groupsOf.get(drawing) ?? findGroups(drawing);
    groupsOf.set(drawing, groups);
    return groups;
  }

  function areaOf(element: Element): number {
    const { width, height } = element.getBoundingClientRect();
    return width * height;
  }

  return {
    isGroup: (element) => element.tagName === "g" && groupsAround(element).has(element),
    isPartOfGroup(element) {
      if (!(element instanceof SVGElement)) return false;
      const groups = groupsAround(element);
      for (let at = element.parentElement; at !== null && groups.size > 0; at = at.parentElement) {
        if (!groups.has(at)) continue;
        return element.matches("text, tspan, textPath") || areaOf(element) >= MIN_SHARE * areaOf(at);
      }
      return false;
    },
  };
}
