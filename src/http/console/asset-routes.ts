import { randomBytes } from "node:crypto";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import { CallerError } from "../../lib/caller-error.ts";
import type { App, AppDependencies } from "../app.ts";
import { consoleMissingPage } from "../pages/console-missing-page.ts";
import { sendPage } from "../pages/send-page.ts";
import { type Encoding, openBuiltConsole } from "./asset-files.ts";

const AssetPath = Type.Object({ name: Type.String({ maxLength: 200 }) });
const PagePath = Type.Object({ "*": Type.String() });
const IN_INTERFACE = /^\/*api(?:\/|$)/;
const PAGE = { config: { errors: "page" }, schema: { hide: true } } as const;
const NONCE = /(<meta name="csp-nonce" content=")[^"]*(")/;

/** The console's page, which is the same at every address of it, and what it is made of. */
export function addAssetRoutes(scope: App, { console: { folder } }: Pick<AppDependencies, "console">): void {
  const built = openBuiltConsole(folder);

  async function showConsole(reply: FastifyReply): Promise<FastifyReply> {
    const page = await built.readPage();
    return page === null ? sendPage(reply.code(503), consoleMissingPage()) : sendConsole(reply, page);
  }
  scope.addHook("onRequest", async (request, reply) => {
    if (request.url.startsWith("/console/")) reply.header("x-content-type-options", "nosniff");
  });
  scope.get("/console", PAGE, (_request, reply) => showConsole(reply));
  scope.get("/console/*", { ...PAGE, schema: { hide: true, params: PagePath } }, (request, reply) => {
    // However many slashes stand before it, the interface is none of the pages.
    return IN_INTERFACE.test(request.params["*"]) ? reply.callNotFound() : showConsole(reply);
  });

  scope.get("/console/assets/:name", { schema: { hide: true, params: AssetPath } }, async (request, reply) => {
    const asset = await built.findAsset(request.params.name);
    if (asset === null) throw nothingHere();
    const encoding = chooseEncoding(request.headers["accept-encoding"]);
    if (encoding !== "identity") reply.header("content-encoding", encoding);
    return reply
      .type(asset.type)
      .header("cache-control", "public, max-age=31536000, immutable")
      .header("vary", "accept-encoding")
      .header("x-content-type-options", "nosniff")
      .send(await asset.encode(encoding));
  });

  // What is not there is not a page of the console.
  for (const url of ["/console/assets/*", "/console/api", "/console/api/*"]) {
    const refuse = async () => {
      throw nothingHere();
    };
    scope.all(url, { schema: { hide: true }, onRequest: refuse }, refuse);
  }
}

function nothingHere(): CallerError {
  return new CallerError("NOT_FOUND", "There is nothing here.");
}

/** Styles made by scripts carry the nonce; nothing else that stands in the page itself is obeyed. */
function sendConsole(reply: FastifyReply, page: string): FastifyReply {
  const nonce = randomBytes(18).toString("base64");
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", policy.join("; "))
    .header("cross-origin-opener-policy", "same-origin")
    .header("x-frame-options", "DENY")
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "same-origin")
    .header("cache-control", "no-store")
    .send(page.replace(NONCE, `$1${nonce}$2`));
}

/** The smallest that the client takes; what it wants most does not matter. */
function chooseEncoding(accepted = ""): Encoding {
  const taken = accepted
    .split(",")
    .filter((part) => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
    .map((part) => part.split(";")[0]?.trim().toLowerCase());
  return (["br", "gzip"] as const).find((encoding) => taken.includes(encoding)) ?? "identity";
}
