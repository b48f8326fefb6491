import type { Listeners } from "./init-scripts.ts";

/** How an element reacts to the mouse, as far as a page reveals it. */
interface Handlers {
  /** Set on the element itself, as a property or an attribute. */
  readonly hasInlineClick: boolean;
  readonly hasClick: boolean;
  readonly hasPress: boolean;
  /** Native drag and drop may begin here. */
  readonly hasDragStart: boolean;
  /** Native drag and drop may end here. */
  readonly hasDrop: boolean;
}

export interface HandlerReader {
  read(element: Element): Handlers;
}

/**
 * Runs in the page. Handlers are found in properties ("onclick"), in the recorded listeners, and where frameworks keep
 * those that they call from one listener on the document: React in the props of an element, Svelte and Solid in
 * properties of it, with names or symbols.
 */
export function createHandlerReader(listenersKey: string): HandlerReader {
  const CLICKS = ["onclick", "ondblclick", "onmousedown", "onmouseup", "onpointerdown", "ontouchstart"];
  const PRESSES = ["onmousedown", "onpointerdown", "ontouchstart"];
  const DROPS = ["ondragover", "ondrop"];
  const REACT_CLICKS = ["onClick", "onDoubleClick", "onMouseDown", "onMouseUp", "onPointerDown", "onPointerUp"];
  const REACT_PRESSES = ["onMouseDown", "onPointerDown", "onTouchStart"];
  const REACT_PROPS = /^__react(Props|EventHandlers)\$/;
  const DELEGATED_CLICKS = /^(__|\$\$)(click|dblclick|mousedown|mouseup|pointerdown|pointerup)$/;
  const CLICK_EVENTS = ["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup"];
  const DELEGATED_PRESSES = /^(__|\$\$)(mousedown|pointerdown)$/;
  const listeners = findListeners();
  const known = new Map<Element, Handlers>();

  /** Null without the init script that records listeners: the native function rejects the call. */
  function findListeners(): Listeners | null {
    try {
      return Reflect.apply(document.addEventListener, document, [listenersKey]) as unknown as Listeners;
    } catch {
      return null;
    }
  }

  /** The element on which a framework listens for everything that happens in it. */
  function isRootOfApp(element: Element): boolean {
    if (listeners === null) return false;
    return listeners.forClicks.has(element) && listeners.forDrags.has(element) && listeners.forTyping.has(element);
  }

  function hasFunction(object: object, names: readonly string[]): boolean {
    return names.some((name) => typeof Reflect.get(object, name) === "function");
  }

  function reactPropsOf(element: Element, keys: readonly string[]): object {
    const key = keys.find((name) => REACT_PROPS.test(name));
    const props = key === undefined ? null : (Reflect.get(element, key) as unknown);
    return typeof props === "object" && props !== null ? props : {};
  }

  function handlersBySymbol(element: Element): object {
    const held = Object.getOwnPropertySymbols(element).map((symbol) => Reflect.get(element, symbol) as unknown);
    const objects = held.filter((one): one is object => typeof one === "object" && one !== null);
    return objects.find((one) => hasFunction(one, CLICK_EVENTS)) ?? {};
  }

  function readNow(element: Element): Handlers {
    // Properties that scripts have added. Most elements have none.
    const keys = Object.keys(element);
    const react = keys.length === 0 ? {} : reactPropsOf(element, keys);
    const bySymbol = handlersBySymbol(element);
    const isRoot = isRootOfApp(element);
    // Frameworks give it an empty handler, too.
    const hasInline = hasFunction(element, CLICKS);
    const hasInlineClick = !isRoot && hasInline;
    const recorded = isRoot ? null : listeners;
    return {
      hasInlineClick,
      hasClick:
        hasInlineClick ||
        recorded?.forClicks.has(element) === true ||
        hasFunction(react, REACT_CLICKS) ||
        hasFunction(bySymbol, CLICK_EVENTS) ||
        keys.some((key) => DELEGATED_CLICKS.test(key)),
      hasPress:
        (hasInline && hasFunction(element, PRESSES)) ||
        recorded?.forPresses.has(element) === true ||
        hasFunction(react, REACT_PRESSES) ||
        keys.some((key) => DELEGATED_PRESSES.test(key)),
      hasDragStart:
        hasFunction(element, ["ondragstart"]) ||
        recorded?.forDrags.has(element) === true ||
        hasFunction(react, ["onDragStart"]),
      hasDrop:
        hasFunction(element, DROPS) ||
        recorded?.forDrops.has(element) === true ||
        hasFunction(react, ["onDragOver", "onDrop"]),
    };
  }

  function read(element: Element): Handlers {
    const handlers = known.get(element) ?? readNow(element);
    known.set(element, handlers);
    return handlers;
  }

  return { read };
}
