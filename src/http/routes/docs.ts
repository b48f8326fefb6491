import type { App } from "../app.ts";

export function addDocsRoutes(app: App): void {
  app.get("/openapi.json", { config: { cors: true }, schema: { hide: true } }, async () => app.swagger());
}
