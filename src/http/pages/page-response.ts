import type { FastifyReply } from "fastify";
import type { Html } from "../../lib/html.ts";

export interface Page {
  html: Html;
  /** Where forms of this page may lead besides this service. Browsers apply it to redirects after a form, too. */
  formTarget?: string;
  /** For a page with a script: the origin of its WebSockets, which some browsers do not include in 'self'. */
  socketOrigin?: string;
  /** CSP sources of the pages that may embed this one. By default nothing may. */
  frameAncestors?: readonly string[];
  /** For the API reference: it runs a script that inserts styles. */
  isReference?: boolean;
}

/** Nothing from other origins, frames and scripts only where needed. "no-referrer" would remove the Origin of forms. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  // It knows no list of origins. Browsers ignore it where frame-ancestors is set.
  if (page.frameAncestors === undefined) reply.header("x-frame-options", "DENY");
  return reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", contentSecurityPolicy(page).join("; "))
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "same-origin")
    .header("cache-control", "no-store")
    .send(page.html.text);
}

function contentSecurityPolicy(page: Page): string[] {
  const { formTarget, socketOrigin, frameAncestors = ["'none'"], isReference = false } = page;
  const isScripted = socketOrigin !== undefined;
  return [
    "default-src 'none'",
    // Scalar sets style attributes and inserts style elements without a nonce. Scripts stay as strict as elsewhere.
    isReference ? "style-src 'self' 'unsafe-inline'" : "style-src 'self'",
    `img-src 'self' data:${isScripted ? " blob:" : ""}`,
    `form-action ${formTarget === undefined ? "'self'" : `'self' ${formTarget}`}`,
    `frame-ancestors ${frameAncestors.join(" ")}`,
    "base-uri 'none'",
    ...(isScripted
      ? ["script-src 'self'", `connect-src 'self' ${socketOrigin}`, "require-trusted-types-for 'script'"]
      : []),
    ...(isReference ? ["script-src 'self'", "connect-src 'self'"] : []),
  ];
}

/**
 * The `form-action` source that allows a form to end at this URL. It is the scheme, not the host: browsers apply it to every
 * redirect after a form, and an application's callback may redirect to another host.
 */
export function formActionFor(redirectUri: string): string {
  const { protocol } = new URL(redirectUri);
  return protocol === "http:" ? "http: https:" : protocol;
}
