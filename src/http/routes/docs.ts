import type { App } from "../app.ts";
import type { OpenApiDocument } from "../pages/docs/open-api-document.ts";
import { docsPage } from "../pages/docs-page.ts";
import { homePage } from "../pages/home-page.ts";
import { readScripts } from "../pages/live-scripts.ts";
import { ICON } from "../pages/mark.ts";
import { sendFile, toFile } from "../pages/send-file.ts";
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
  for (const [name, content] of readScripts()) {
    const script = toFile("text/javascript; charset=utf-8", content);
    app.get(`/assets/live/${name}`, FILE, (request, reply) => sendFile(request, reply, script));
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
