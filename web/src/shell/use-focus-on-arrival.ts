import { type RefObject, useEffect, useRef } from "react";

/** Whoever goes to another page by the menu goes on reading there, and not in the menu. */
export function useFocusOnArrival(main: RefObject<HTMLElement | null>, location: string): void {
  const last = useRef(location);
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
