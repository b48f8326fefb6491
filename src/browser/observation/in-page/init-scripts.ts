/**
 * An init script. What a page puts into a closed shadow root is seen by people but not by snapshots, so every root that
 * script attaches is open. A Proxy, because it still looks like the browser's own function to a page that asks.
 */
export const OPEN_SHADOW_ROOTS = `(() => {
  const native = Element.prototype.attachShadow;
  Element.prototype.attachShadow = new Proxy(native, {
    apply: (target, self, [init, ...rest]) =>
      Reflect.apply(target, self, [init?.mode === "closed" ? { ...init, mode: "open" } : init, ...rest]),
  });
})();`;

/** Who says this instead of the name of an event is told who listens for what. */
export const LISTENERS_KEY = "\u0000listened";

/** What that answers. */
export interface Listeners {
  readonly forClicks: WeakSet<EventTarget>;
  readonly forTyping: WeakSet<EventTarget>;
}

/**
 * An init script. Remembers who listens for clicks and for typing, because a browser does not tell. A page finds nothing of
 * it: there is no property, and the Proxy looks like the browser's own function.
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
      // A whole page that listens for keys has shortcuts; one that listens for input has fields that react.
      if (typing.has(args[0]) && (isElement || args[0] !== "keydown")) listeners.forTyping.add(self ?? window);
      return Reflect.apply(target, self, args);
    },
  });
})();`;
