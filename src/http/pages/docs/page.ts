import { STATUS_CODES } from "node:http";
import { type Html, html } from "../../../lib/html.ts";
import { layout } from "../layout.ts";
import type { Page } from "../page-response.ts";
import { AFTER_URL_DELIMITER, codeBlock, withBreaks } from "../text.ts";
import { curlExample } from "./examples.ts";
import {
  type Endpoint,
  fieldList,
  fieldsOf,
  listEndpoints,
  type OpenApiDocument,
  type Operation,
  objectFields,
  type Parameter,
  type Response,
  referenceName,
  richText,
  shapeOf,
} from "./schemas.ts";

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

function operationSection(document: OpenApiDocument, endpoint: Endpoint): Html {
  const { id, method, path, operation } = endpoint;
  const title = operation.summary ?? id;
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title">
<div class="about">
<h3 id="${id}-title"><a class="anchor" href="#${id}">${title}</a></h3>
<p class="address">${methodBadge(method)} <code>${withBreaks(path, AFTER_URL_DELIMITER)}</code></p>
${operation.description !== undefined && html`<p class="says">${richText(operation.description)}</p>`}
<p class="needs">${authenticationNote(document, operation)}</p>
${PARAMETER_LOCATIONS.map(({ place, heading }) => parameters(document, operation.parameters ?? [], place, heading))}
${requestBody(document, operation)}
${responses(document, operation)}
</div>
<div class="example">
<h4>Example</h4>
${codeBlock(curlExample(document, endpoint))}
</div>
</section>`;
}

function authenticationNote(document: OpenApiDocument, { security = [] }: Operation): Html {
  const schemes = security.map((requirement) => Object.keys(requirement)[0]);
  const [name] = schemes;
  if (name === undefined) return html`Authentication: none.`;
  const label = SCHEME_LABELS[document.components?.securitySchemes?.[name]?.scheme ?? ""] ?? name;
  return html`Authentication: <a href="#auth-${name}">${label}</a>${schemes.includes(undefined) && ", or none"}.`;
}

const SCHEME_LABELS: Record<string, string> = { bearer: "bearer token", basic: "HTTP Basic" };

const PARAMETER_LOCATIONS = [
  { place: "path", heading: "Path parameters" },
  { place: "query", heading: "Query parameters" },
  { place: "header", heading: "Headers" },
] as const;

function parameters(document: OpenApiDocument, all: Parameter[], place: Parameter["in"], heading: string): Html | null {
  const here = all.filter((parameter) => parameter.in === place);
  if (here.length === 0) return null;
  const fields = here.map(({ name, required, schema = {}, description }) => {
    // Whatever has a default may be left out.
    const note: "required" | "optional" = required === true && schema.default === undefined ? "required" : "optional";
    return { name: place === "header" ? headerName(name) : name, schema, note, description };
  });
  return html`<h4>${heading}</h4>${fieldList(document, fields, "request")}`;
}

/** Header names come in lower case: shown as people write them. */
function headerName(name: string): string {
  return name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

function requestBody(document: OpenApiDocument, { requestBody }: Operation): Html | null {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined || media?.schema === undefined) return null;
  return html`<h4>Body <span class="media">${type}</span></h4>${objectFields(document, media.schema, "request")}`;
}

/** Success with its fields; errors, which share a shape, as a table of codes. */
function responses(document: OpenApiDocument, { responses: all = {} }: Operation): Html {
  const entries = Object.entries(all);
  const failures = entries.filter(([status]) => isFailure(status));
  return html`${entries.filter(([status]) => !isFailure(status)).map(([status, response]) => success(document, status, response))}
${failures.length > 0 && errorTable(failures)}`;
}

function isFailure(status: string): boolean {
  return Number(status) >= 400;
}

function success(document: OpenApiDocument, status: string, response: Response): Html {
  const schema = Object.values(response.content ?? {})[0]?.schema;
  return html`<h4>Answer <span class="status">${status} ${STATUS_CODES[status]}</span></h4>
${describe(response) !== null && html`<p class="field-text">${richText(describe(response) ?? "")}</p>`}
${schema !== undefined && objectFields(document, schema, "response")}`;
}

/** OpenAPI demands a description, so a route without one gets this from the generator. */
function describe({ description }: Response): string | null {
  return description === undefined || description === "Default Response" ? null : description;
}

function errorTable(failures: [status: string, response: Response][]): Html {
  const schema = Object.values(failures[0]?.[1].content ?? {})[0]?.schema;
  const name = schema === undefined ? null : referenceName(schema);
  return html`<h4>Errors${name !== null && html` <span class="media"><a href="#object-${name}">${name}</a></span>`}</h4>
<table class="errors"><thead><tr><th scope="col">Status</th><th scope="col">Codes</th></tr></thead>
<tbody>${failures.map(
    ([status, response]) =>
      html`<tr><th scope="row">${status}</th><td>${richText(describe(response) ?? STATUS_CODES[status] ?? "")}</td></tr>`,
  )}</tbody></table>`;
}

function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}
