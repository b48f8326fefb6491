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
