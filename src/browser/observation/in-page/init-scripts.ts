/**
 * Init script. People see the content of closed shadow roots, but snapshots do not, so every shadow root is opened. A
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
  readonly forTyping: WeakSet<EventTarget>;
}

/**
 * Init script. Records which elements listen for clicks and for typing, because browsers do not expose it. A page cannot
 * detect it: there is no property, and the Proxy looks like the native function.
 */
export const RECORD_LISTENERS = `(() => {
  const listeners = { forClicks: new WeakSet(), forTyping: new WeakSet() };
  const clicks = new Set(["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart"]);
  const typing = new Set(["input", "beforeinput", "keydown", "keypress", "keyup"]);
  const native = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = new Proxy(native, {
    apply(target, self, args) {
      if (args[0] === ${JSON.stringify(LISTENERS_KEY)}) return listeners;
      if (clicks.has(args[0]) && self instanceof Element) listeners.forClicks.add(self);
      const isElement = self instanceof Node && !(self instanceof Document);
      // Key listeners on the document or window are shortcuts. Input listeners there mean that fields react to typing.
      if (typing.has(args[0]) && (isElement || args[0] !== "keydown")) listeners.forTyping.add(self ?? window);
      return Reflect.apply(target, self, args);
    },
  });
})();`;
