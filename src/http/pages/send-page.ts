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
