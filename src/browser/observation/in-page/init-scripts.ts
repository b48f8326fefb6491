/**
 * Init script. People see the content of closed shadow roots, but scripts do not, so every shadow root is opened. A
 * Proxy still looks like the native function to the page.
 */
export const OPEN_SHADOW_ROOTS = `(() => {
  const native = Element.prototype.attachShadow;
  Element.prototype.attachShadow = new Proxy(native, {
    apply: (target, self, [init, ...rest]) =>
      Reflect.apply(target, self, [init?.mode === "closed" ? { ...init, mode: "open" } : init, ...rest]),
  });
})();`;

/** Calling addEventListener with this instead of an event name returns the recorded listeners. */
export const LISTENERS_KEY = "\u0000listened";

/** The elements with listeners. */
export interface Listeners {
  readonly forClicks: WeakSet<EventTarget>;
  /** For pressing the mouse button, the pen or a finger, with which a drag may begin. */
  readonly forPresses: WeakSet<EventTarget>;
  /** For native drag and drop: where it begins, and where it may end. */
  readonly forDrags: WeakSet<EventTarget>;
  readonly forDrops: WeakSet<EventTarget>;
  readonly forTyping: WeakSet<EventTarget>;
}

/**
 * Init script. Records which elements listen for clicks, drags and typing, because browsers do not expose it. A page
 * cannot detect it: there is no property, and the Proxy looks like the native function.
 */
export const RECORD_LISTENERS = `(() => {
  const kinds = {
    forClicks: ["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart"],
    forPresses: ["mousedown", "pointerdown", "touchstart"],
    forDrags: ["dragstart"],
    forDrops: ["dragenter", "dragover", "drop"],
  };
  const listeners = { forTyping: new WeakSet() };
  const setsOf = new Map();
  for (const [kind, types] of Object.entries(kinds)) {
    listeners[kind] = new WeakSet();
    for (const type of types) setsOf.set(type, [...(setsOf.get(type) ?? []), listeners[kind]]);
  }
  const typing = new Set(["input", "beforeinput", "keydown", "keypress", "keyup"]);
  const native = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = new Proxy(native, {
    apply(target, self, args) {
      if (args[0] === ${JSON.stringify(LISTENERS_KEY)}) return listeners;
      if (self instanceof Element) for (const set of setsOf.get(args[0]) ?? []) set.add(self);
      const isElement = self instanceof Node && !(self instanceof Document);
      // Key listeners on the document or window are shortcuts. Input listeners there mean that fields react to typing.
      if (typing.has(args[0]) && (isElement || args[0] !== "keydown")) listeners.forTyping.add(self ?? window);
      return Reflect.apply(target, self, args);
    },
  });
})();`;
