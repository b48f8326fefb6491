import type { Html } from "../../src/lib/html.ts";

/** What a route answers; how it becomes bytes is for `respond.ts`. */
export type Answer =
  | { kind: "page"; status: number; title: string; body: Html }
  | { kind: "redirect"; to: string }
  | { kind: "json"; value: unknown };

export function page(title: string, body: Html, status = 200): Answer {
  return { kind: "page", status, title, body };
}

export function redirect(to: string): Answer {
  return { kind: "redirect", to };
}
