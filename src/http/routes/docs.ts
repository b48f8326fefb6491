import type { App, AppDependencies } from "../dependencies.ts";
import { readReferenceStylesheet, readScripts, readStylesheet, sendFile, toFile } from "../pages/assets.ts";
import { homePage } from "../pages/home-page.ts";
import { ICON } from "../pages/layout.ts";
import { sendPage } from "../pages/page-response.ts";
import { referencePage } from "../pages/reference-page.ts";

const PAGE = { config: { errors: "page" }, schema: { hide: true } } as const;
const FILE = { schema: { hide: true } } as const;

type DocsDependencies = Pick<AppDependencies, "publicUrl" | "console">;

/** What needs no account: the start page, the API reference and the assets of the pages. */
export function addDocsRoutes(app: App, { publicUrl, console: { folder } }: DocsDependencies): void {
  const home = homePage(publicUrl);
  app.get("/", PAGE, (_request, reply) => sendPage(reply, home));
  app.get("/docs", PAGE, async (_request, reply) => sendPage(reply, await referencePage(folder)));
  app.get("/openapi.json", { ...FILE, config: { cors: true } }, (_request, reply) =>
    reply.header("cache-control", "no-cache").send(app.swagger()),
  );

  for (const [name, content] of [
    ["errand.css", readStylesheet()],
    ["reference.css", readReferenceStylesheet()],
  ] as const) {
    const stylesheet = toFile("text/css; charset=utf-8", content);
    app.get(`/assets/${name}`, FILE, (request, reply) => sendFile(request, reply, stylesheet));
  }
  const icon = toFile("image/svg+xml", ICON);
  app.get("/assets/errand.svg", FILE, (request, reply) => sendFile(request, reply, icon));
  app.get("/favicon.ico", FILE, (request, reply) => sendFile(request, reply, icon));
  for (const [name, content] of readScripts()) {
    const script = toFile("text/javascript; charset=utf-8", content);
    app.get(`/assets/live/${name}`, FILE, (request, reply) => sendFile(request, reply, script));
  }
}
