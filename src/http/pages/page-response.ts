import type { FastifyReply } from "fastify";
import type { Html } from "../../lib/html.ts";

export interface Page {
  html: Html;
  /** Where a form of this page may lead besides this service: browsers hold redirects after a form to it too. */
  formTarget?: string;
  /** For a page that runs our script: the origin of its sockets, which some browsers do not count as 'self'. */
  socketOrigin?: string;
}

/** No frames, nothing from elsewhere, script only where said. "same-origin": "no-referrer" would blank a form's Origin. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", policyFor(page).join("; "))
    .header("x-frame-options", "DENY")
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "same-origin")
    .header("cache-control", "no-store")
    .send(page.html.text);
}

function policyFor({ formTarget, socketOrigin }: Page): string[] {
  const isScripted = socketOrigin !== undefined;
  return [
    "default-src 'none'",
    "style-src 'self'",
    `img-src 'self' data:${isScripted ? " blob:" : ""}`,
    `form-action ${formTarget === undefined ? "'self'" : `'self' ${formTarget}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    ...(isScripted
      ? ["script-src 'self'", `connect-src 'self' ${socketOrigin}`, "require-trusted-types-for 'script'"]
      : []),
  ];
}

/**
 * What `form-action` must allow for a form to end at this address. By scheme, not by host: browsers hold every
 * redirect after a form to it, and an application's callback may well lead on to another host of its own.
 */
export function formActionFor(redirectUri: string): string {
  const { protocol } = new URL(redirectUri);
  return protocol === "http:" ? "http: https:" : protocol;
}

/** Where that is, in words for the person who is sent there. */
export function describeReturnUrl(redirectUri: string): string {
  const url = new URL(redirectUri);
  if (!/^https?:$/.test(url.protocol)) return `the app ${url.protocol.slice(0, -1)}`;
  return LOOPBACK.has(url.hostname) ? `a program on this computer (${url.host})` : url.host;
}

const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);
