import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { html } from "../../lib/html.ts";
import { ICON_LINK, mark } from "./layout.ts";
import type { Page } from "./page-response.ts";

/** The API reference. Scalar renders it from /openapi.json; its script is built with the console. */
export async function referencePage(consoleFolder: string): Promise<Page> {
  const script = await findScript(consoleFolder);
  const content =
    script === null
      ? html`<p>The API reference is not built yet. Run scripts/bootstrap where Errand is installed, then reload this page. Until then, see <a href="/openapi.json">/openapi.json</a>.</p>`
      : html`<div id="reference"></div>
<noscript>The API reference needs JavaScript. Everything in it comes from <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/console/assets/${script}"></script>`;
  return {
    isReference: true,
    html: html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Errand</title>
${ICON_LINK}
<link rel="stylesheet" href="/assets/reference.css">
</head>
<body>
<header class="site">
<a class="brand" href="/">${mark()}<span>Errand</span></a>
<nav aria-label="Site"><a href="/console">Console</a><a href="/openapi.json">OpenAPI</a></nav>
</header>
${content}
</body>
</html>
`,
  };
}

/** Null while the console is not built. The name changes with the content. */
async function findScript(consoleFolder: string): Promise<string | null> {
  const names = await readdir(join(consoleFolder, "assets")).catch(() => []);
  return names.find((name) => /^reference-[\w-]+\.js$/.test(name)) ?? null;
}
