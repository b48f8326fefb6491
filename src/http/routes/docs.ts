import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../app.ts";
import type { OpenApiDocument } from "../pages/docs/open-api-document.ts";
import { docsPage } from "../pages/docs-page.ts";
import { homePage } from "../pages/home-page.ts";
import { ICON } from "../pages/mark.ts";
import { sendPage } from "../pages/send-page.ts";
import { readStylesheet } from "../pages/stylesheet.ts";

const PAGE = { config: { errors: "page" }, schema: { hide: true } } as const;
const FILE = { schema: { hide: true } } as const;

/** What a visitor finds without an account: the start page, the API reference and what the pages are made of. */
export function addDocsRoutes(app: App): void {
  // Complete only once every route is there, which is when the first request comes.
  const getPages = once(() => {
    const document = app.swagger() as unknown as OpenApiDocument;
    return { home: homePage(document.servers?.[0]?.url), docs: docsPage(document) };
  });
  app.get("/", PAGE, (_request, reply) => sendPage(reply, getPages().home));
  app.get("/docs", PAGE, (_request, reply) => sendPage(reply, getPages().docs));
  app.get("/openapi.json", { ...FILE, config: { cors: true } }, (_request, reply) =>
    reply.header("cache-control", "no-cache").send(app.swagger()),
  );

  const stylesheet = toFile("text/css; charset=utf-8", readStylesheet());
  const icon = toFile("image/svg+xml", ICON);
  app.get("/assets/errand.css", FILE, (request, reply) => sendFile(request, reply, stylesheet));
  app.get("/assets/errand.svg", FILE, (request, reply) => sendFile(request, reply, icon));
  app.get("/favicon.ico", FILE, (request, reply) => sendFile(request, reply, icon));
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

interface File {
  type: string;
  content: string;
  tag: string;
}

function toFile(type: string, content: string): File {
  return { type, content, tag: `"${createHash("sha256").update(content).digest("base64url")}"` };
}

/** Asked for again each time, so that a page never meets the stylesheet of another version. */
function sendFile(request: FastifyRequest, reply: FastifyReply, { type, content, tag }: File): FastifyReply {
  reply.header("etag", tag).header("cache-control", "no-cache").header("x-content-type-options", "nosniff");
  if (request.headers["if-none-match"]?.includes(tag)) return reply.code(304).send();
  return reply.type(type).send(content);
}
