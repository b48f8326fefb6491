import type { Note } from "../note.ts";
import type { FieldReader } from "./describe-field.ts";

/** Runs in the page. The innermost element that has the keyboard, through shadow roots. */
export function findActive(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

/** Runs in the page. Tells which field has the keyboard. */
export function watchFocus(say: (note: Note) => void, reader: FieldReader, find: typeof findActive): void {
  const heardRoots = new WeakSet<ShadowRoot>();
  let told = "null";

  function report(): void {
    const active = document.hasFocus() ? find() : null;
    const root = active?.getRootNode();
    // What moves inside of a shadow root is not told outside of it.
    if (root instanceof ShadowRoot && !heardRoots.has(root)) {
      heardRoots.add(root);
      root.addEventListener("focusin", reportSoon, true);
    }
    const kind = reader.kindOf(active);
    const field = kind === null || active === null ? null : { kind, label: reader.labelOf(active) };
    const text = JSON.stringify(field);
    if (text === told) return;
    told = text;
    say({ type: "field", field });
  }

  /** After the focus has arrived where it goes. */
  function reportSoon(): void {
    setTimeout(report, 0);
  }

  for (const event of ["focusin", "focusout", "focus", "blur"]) addEventListener(event, reportSoon, true);
  reportSoon();
}
