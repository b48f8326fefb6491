import { createHmac, randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { CallerError } from "../../lib/errors.ts";
import { areEqualSecrets } from "../../lib/hash.ts";

/** Protects forms against cross-site request forgery: a form must come from our page, in the same browser. */
interface FormGuard {
  /** Returns the value for the form's `form_token` field and sets the matching cookie. */
  issue(request: FastifyRequest, reply: FastifyReply): string;
  /** Throws unless the form was submitted from a page that this browser received from us. */
  check(request: FastifyRequest): void;
}

const COOKIE = "errand.form";

export function createFormGuard({ key, publicUrl }: { key: Buffer; publicUrl: string }): FormGuard {
  const attributes = `Path=/; HttpOnly; SameSite=Lax${publicUrl.startsWith("https:") ? "; Secure" : ""}`;
  const sign = (nonce: string) => createHmac("sha256", key).update(nonce).digest("base64url");

  return {
    issue(request, reply) {
      const known = readCookie(request);
      const nonce = known ?? randomBytes(24).toString("base64url");
      if (known === null) reply.header("set-cookie", `${COOKIE}=${nonce}; ${attributes}`);
      return sign(nonce);
    },

    check(request) {
      const nonce = readCookie(request);
      const token = (request.body as Record<string, unknown> | undefined)?.["form_token"];
      const isOurs =
        nonce !== null &&
        typeof token === "string" &&
        areEqualSecrets(token, sign(nonce)) &&
        isSameOrigin(request, publicUrl);
      if (!isOurs)
        throw new CallerError("INVALID_REQUEST", "This form has expired. Go back, reload the page and try again.");
    },
  };
}

function readCookie(request: FastifyRequest): string | null {
  return /(?:^|;\s*)errand\.form=([\w-]{32})(?:;|$)/.exec(request.headers.cookie ?? "")?.[1] ?? null;
}

/** Browsers send the origin of a form. A request without one still needs the cookie and the token. */
function isSameOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return false;
  const { origin, host } = request.headers;
  return origin === undefined || origin === publicUrl || URL.parse(origin)?.host === host;
}
