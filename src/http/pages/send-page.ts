import type { FastifyReply } from "fastify";
import type { Html } from "../../lib/html.ts";

export interface Page {
  html: Html;
  /** Where a form of this page may lead besides this service: browsers hold redirects after a form to it too. */
  formTarget?: string;
}

/** No script, no frames, nothing from elsewhere. "same-origin" and not "no-referrer", which would blank a form's Origin. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const formAction = page.formTarget === undefined ? "'self'" : `'self' ${page.formTarget}`;
  return reply
    .type("text/html; charset=utf-8")
    .header(
      "content-security-policy",
      `default-src 'none'; style-src 'self'; img-src 'self' data:; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
    )
    .header("x-frame-options", "DENY")
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "same-origin")
    .header("cache-control", "no-store")
    .send(page.html.text);
}
