/** Who says this instead of the name of an event is told which elements listen for clicks. */
export const LISTENERS_PASSWORD = "\u0000listened";

/**
 * An init script. Remembers which elements listen for clicks, because a browser does not tell. A page finds nothing of it:
 * there is no property, and the Proxy looks like the browser's own function.
 */
export const REMEMBER_LISTENERS = `(() => {
  const listened = new WeakSet();
  const clicks = new Set(["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart"]);
  const native = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = new Proxy(native, {
    apply(target, self, args) {
      if (args[0] === ${JSON.stringify(LISTENERS_PASSWORD)}) return listened;
      if (clicks.has(args[0]) && self instanceof Element) listened.add(self);
      return Reflect.apply(target, self, args);
    },
  });
})();`;
