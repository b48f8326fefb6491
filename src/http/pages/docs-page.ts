import { type Html, html } from "../../lib/html.ts";
import { codeBlock } from "./code-block.ts";
import { fieldList, fieldsOf } from "./docs/fields.ts";
import { methodBadge } from "./docs/method-badge.ts";
import { type Endpoint, listEndpoints, type OpenApiDocument } from "./docs/open-api-document.ts";
import { operationSection } from "./docs/operation.ts";
import { richText } from "./docs/rich-text.ts";
import { shapeOf } from "./docs/schema-shape.ts";
import { layout } from "./layout.ts";
import type { Page } from "./send-page.ts";

interface Chapter {
  name: string;
  description: string | null;
  endpoints: Endpoint[];
}

/** The API reference: everything in it comes from the OpenAPI document. */
export function docsPage(openApi: OpenApiDocument): Page {
  const chapters = toChapters(openApi);
  const body = html`<div class="docs">
${contents(openApi, chapters)}
<main id="content">
${introduction(openApi)}
${chapters.map((chapter) => chapterSection(openApi, chapter))}
${objects(openApi)}
</main>
</div>`;
  return { html: layout({ title: "API reference", body, wide: true }) };
}

function toChapters(openApi: OpenApiDocument): Chapter[] {
  const endpoints = listEndpoints(openApi);
  const tags = openApi.tags ?? [];
  const names = new Set([...tags.map(({ name }) => name), ...endpoints.map(chapterName)]);
  return [...names]
    .map((name) => ({
      name,
      description: tags.find((tag) => tag.name === name)?.description ?? null,
      endpoints: endpoints.filter((endpoint) => chapterName(endpoint) === name),
    }))
    .filter((chapter) => chapter.endpoints.length > 0);
}

function chapterName({ operation }: Endpoint): string {
  return operation.tags?.[0] ?? "Other";
}

function contents(openApi: OpenApiDocument, chapters: Chapter[]): Html {
  return html`<nav class="contents" aria-label="Contents">
<ul><li><a href="#introduction">Introduction</a></li><li><a href="#authentication">Authentication</a></li></ul>
${chapters.map(
  ({ name, endpoints }) => html`<h2><a href="#${anchor(name)}">${name}</a></h2>
<ul>${endpoints.map(({ id, method, operation }) => html`<li><a href="#${id}"><span>${operation.summary ?? id}</span>${methodBadge(method)}</a></li>`)}</ul>`,
)}
<h2><a href="#objects">Objects</a></h2>
<ul>${Object.keys(openApi.components?.schemas ?? {}).map((name) => html`<li><a href="#object-${name}">${name}</a></li>`)}</ul>
</nav>`;
}

function introduction(openApi: OpenApiDocument): Html {
  const { info, servers = [] } = openApi;
  return html`<section class="intro" id="introduction">
<h1>${info.title} API</h1>
${info.description !== undefined && html`<p class="lead">${richText(info.description)}</p>`}
<h4>Base address</h4>
${codeBlock(servers[0]?.url ?? "/")}
<p>Bodies and answers are JSON unless an endpoint says otherwise. Every answer has an <code>X-Request-Id</code>; it helps to find a request in the log.</p>
</section>
<section class="intro" id="authentication">
<h2><a class="anchor" href="#authentication">Authentication</a></h2>
<p>The examples read what they need from the shell: set it once.</p>
${codeBlock("export APPLICATION_ID=…\nexport ACCESS_TOKEN=…")}
${securitySchemes(openApi)}
</section>`;
}

function securitySchemes({ components }: OpenApiDocument): Html {
  return html`<ul class="fields">${Object.entries(components?.securitySchemes ?? {}).map(
    ([name, { scheme = "", description = "" }]) => html`<li id="auth-${name}">
<p class="field-head"><strong>${SCHEME_NAMES[scheme] ?? name}</strong></p>
<p class="field-text">${richText(description)}</p>
<p class="constraint"><code>Authorization: ${SCHEME_HEADERS[scheme] ?? scheme}</code></p>
</li>`,
  )}</ul>`;
}

const SCHEME_NAMES: Record<string, string> = { bearer: "Bearer token", basic: "HTTP Basic" };
const SCHEME_HEADERS: Record<string, string> = {
  bearer: "Bearer ACCESS_TOKEN",
  basic: "Basic base64(CLIENT_ID:CLIENT_SECRET)",
};

function chapterSection(openApi: OpenApiDocument, { name, description, endpoints }: Chapter): Html {
  return html`<section class="chapter" id="${anchor(name)}">
<h2><a class="anchor" href="#${anchor(name)}">${name}</a></h2>
${description !== null && html`<p class="lead">${richText(description)}</p>`}
${endpoints.map((endpoint) => operationSection(openApi, endpoint))}
</section>`;
}

/** Apart from operation ids, which could be the same word. */
function anchor(chapter: string): string {
  return `chapter-${chapter.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
}

function objects(openApi: OpenApiDocument): Html {
  return html`<section class="chapter" id="objects">
<h2><a class="anchor" href="#objects">Objects</a></h2>
${Object.entries(openApi.components?.schemas ?? {}).map(([name, schema]) => {
  const shape = shapeOf(openApi, schema);
  return html`<section class="object" id="object-${name}">
<h3><a class="anchor" href="#object-${name}">${name}</a></h3>
${shape.description !== null && html`<p class="says">${richText(shape.description)}</p>`}
${fieldList(openApi, fieldsOf(shape, "response"), "response", [name])}
</section>`;
})}
</section>`;
}
