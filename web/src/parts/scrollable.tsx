import type { HTMLAttributes, ReactNode, Ref } from "react";

interface ScrollableProps extends HTMLAttributes<HTMLElement> {
  label: string;
  children: ReactNode;
  ref?: Ref<HTMLElement>;
}

/** What has scroll bars of its own, reachable by keyboard as well. */
export function Scrollable({ label, children, ...others }: ScrollableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard cannot scroll
    <section tabIndex={0} aria-label={label} {...others}>
      {children}
    </section>
  );
}
