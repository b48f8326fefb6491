import type { Html } from "../../src/lib/html.ts";

/** A site: its routes, and the state of its server, which a test may read and set. */
export interface Site<State> {
  /** By "METHOD /path"; a path that ends in "*" covers everything below it. */
  readonly routes: Readonly<Record<string, Route>>;
  readonly state: State;
  /** False: one connection per request, so that the browser does not silently retry one that was reset. */
  readonly keepsConnections?: boolean;
}

export type Route = (request: SiteRequest) => Answer | Promise<Answer>;

export interface SiteRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly cookies: ReadonlyMap<string, string>;
  /** A field of the submitted form; empty when it was not sent. */
  field(name: string): string;
  /** Rejects when the site is closed in the meantime. */
  wait(milliseconds: number): Promise<void>;
}

export type Answer =
  | { readonly kind: "reply"; readonly status: number; readonly headers: Headers; readonly body: string }
  /** The connection stays open without a response. */
  | { readonly kind: "hang" }
  /** The connection is reset without a response. */
  | { readonly kind: "reset" };

type Headers = Readonly<Record<string, string>>;

export const HANG: Answer = { kind: "hang" };
export const RESET: Answer = { kind: "reset" };

export function showPage(page: Html, status = 200, headers: Headers = {}): Answer {
  return reply(status, { "content-type": "text/html; charset=utf-8", ...headers }, page.text);
}

export function sendJson(value: unknown, status = 200, headers: Headers = {}): Answer {
  return reply(status, { "content-type": "application/json", ...headers }, JSON.stringify(value));
}

export function sendScript(script: string): Answer {
  return reply(200, { "content-type": "text/javascript; charset=utf-8" }, script);
}

export function redirectTo(location: string, status = 303, headers: Headers = {}): Answer {
  return reply(status, { location, ...headers }, "");
}

function reply(status: number, headers: Headers, body: string): Answer {
  // Pages must be requested again each time, even after "back".
  return { kind: "reply", status, headers: { "cache-control": "no-store", ...headers }, body };
}
