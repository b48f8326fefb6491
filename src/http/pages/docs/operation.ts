import { type Html, html } from "../../../lib/html.ts";
import { breakable, IN_ADDRESS } from "../breakable.ts";
import { codeBlock } from "../code-block.ts";
import { curlExample } from "./curl.ts";
import { fieldList } from "./fields.ts";
import { methodBadge } from "./method-badge.ts";
import { objectFields } from "./object-fields.ts";
import type { Endpoint, OpenApiDocument, Operation, Parameter } from "./open-api-document.ts";
import { responses } from "./responses.ts";
import { richText } from "./rich-text.ts";

export function operationSection(document: OpenApiDocument, endpoint: Endpoint): Html {
  const { id, method, path, operation } = endpoint;
  const title = operation.summary ?? id;
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title">
<div class="about">
<h3 id="${id}-title"><a class="anchor" href="#${id}">${title}</a></h3>
<p class="address">${methodBadge(method)} <code>${breakable(path, IN_ADDRESS)}</code></p>
${operation.description !== undefined && html`<p class="says">${richText(operation.description)}</p>`}
<p class="needs">${needs(document, operation)}</p>
${PLACES.map(({ place, heading }) => parameters(document, operation.parameters ?? [], place, heading))}
${requestBody(document, operation)}
${responses(document, operation)}
</div>
<div class="example">
<h4>Example</h4>
${codeBlock(curlExample(document, endpoint))}
</div>
</section>`;
}

function needs(document: OpenApiDocument, { security = [] }: Operation): Html {
  const schemes = security.map((requirement) => Object.keys(requirement)[0]);
  const [name] = schemes;
  if (name === undefined) return html`Authentication: none.`;
  const label = SCHEME_LABELS[document.components?.securitySchemes?.[name]?.scheme ?? ""] ?? name;
  return html`Authentication: <a href="#auth-${name}">${label}</a>${schemes.includes(undefined) && ", or none"}.`;
}

const SCHEME_LABELS: Record<string, string> = { bearer: "bearer token", basic: "HTTP Basic" };

const PLACES = [
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
