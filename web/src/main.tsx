import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./console.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/client.ts";
import { App } from "./app.tsx";
import { resolveVariables, theme } from "./theme.ts";

// What keeps the page still behind a dialog makes its styles by itself, and looks for the mark under this name.
Object.assign(globalThis, { __webpack_nonce__: readStyleNonce() });
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no place for the console");
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      defaultColorScheme="auto"
      getStyleNonce={readStyleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);

/** Styles that are made while the page runs are let in by the mark that the service has put into the page. */
function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
}
