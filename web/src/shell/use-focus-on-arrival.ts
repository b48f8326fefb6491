import { type RefObject, useEffect, useRef } from "react";

/** Whoever goes to another page by the menu, or comes from a form before it, goes on reading there. */
export function useFocusOnArrival(main: RefObject<HTMLElement | null>, location: string, isArrival: boolean): void {
  const last = useRef(isArrival ? null : location);
  useEffect(() => {
    if (last.current === location) return;
    last.current = location;
    const focused = document.activeElement;
    // Within a page the focus is somebody's own, such as a tab they have just pressed.
    const isFree = focused === null || focused === document.body || focused.closest("nav, header") !== null;
    if (!isFree) return;
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [main, location]);
}
