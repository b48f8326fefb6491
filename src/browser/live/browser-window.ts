import type { Response } from "playwright-core";

export const ASKS_IN_WINDOW =
  "The site asks for a name and password in a window of the browser's own, which cannot be shown here.";

/** Schemes for which browsers ask by themselves (RFC 9110 §11.6.1); others leave it to the page. */
const ASKING_SCHEME = /(?:^|[,\n])\s*(?:basic|digest|ntlm)(?:[\s,]|$)/i;

export function asksInWindow(response: Response): boolean {
  return response.status() === 401 && ASKING_SCHEME.test(response.headers()["www-authenticate"] ?? "");
}
