import type { Html } from "../../src/lib/html.ts";

/** What a route returns. `respond.ts` turns it into an HTTP response. */
export type SiteResponse =
  | { kind: "page"; status: number; title: string; body: Html }
  | { kind: "redirect"; to: string }
  | { kind: "json"; value: unknown };

export function page(title: string, body: Html, status = 200): SiteResponse {
  return { kind: "page", status, title, body };
}

export function redirect(to: string): SiteResponse {
  return { kind: "redirect", to };
}
