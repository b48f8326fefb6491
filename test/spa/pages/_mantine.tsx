import { MantineProvider } from "@mantine/core";
import "@mantine/core/styles.css";
import type { ComponentType } from "react";
import { render } from "./_react.tsx";

export function renderMantine(Page: ComponentType): void {
  render(() => (
    <MantineProvider>
      <Page />
    </MantineProvider>
  ));
}
