import type { RefObject } from "react";

/** The first thing the tab key meets: past the menu, to the page. */
export function SkipLink({ target }: { target: RefObject<HTMLElement | null> }) {
  return (
    // biome-ignore lint/a11y/useValidAnchor: it leads to a part of the page; the address has a meaning of its own
    <a
      href="#content"
      className="skip-link"
      onClick={(event) => {
        event.preventDefault();
        target.current?.focus();
      }}
    >
      Skip to the page
    </a>
  );
}
