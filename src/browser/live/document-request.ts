import type { Page, Request } from "playwright-core";

/** Whether it asks for what the tab is to show. */
export function isDocumentRequest(page: Page, request: Request): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame() === page.mainFrame();
  } catch {
    // The first document of a tab that is just being opened.
    return true;
  }
}
