import { type ComponentType, type ReactNode, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { root, save, show } from "./_page.ts";

export function render(Page: ComponentType): void {
  createRoot(root()).render(<Page />);
}

/** A form that shows its state to the test at all times, and saves it with a button. */
export function SavedForm({ state, children }: { state: unknown; children: ReactNode }) {
  useEffect(() => show(state), [state]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save(state);
      }}
    >
      {children}
      <button type="submit">Save</button>
    </form>
  );
}
