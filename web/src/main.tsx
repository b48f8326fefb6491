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

// react-remove-scroll, used by dialogs, creates style elements and reads the CSP nonce from this name.
Object.assign(globalThis, { __webpack_nonce__: readStyleNonce() });
const root = document.getElementById("root");
if (root === null) throw new Error("The page has no #root element.");
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

/** The CSP nonce that the service puts into the page. It permits style elements created at run time. */
function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
}
