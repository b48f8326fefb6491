import { STATUS_CODES } from "node:http";
import { type Html, html } from "../../../lib/html.ts";
import { objectFields } from "./object-fields.ts";
import { type OpenApiDocument, type Operation, type Response, referenceName } from "./open-api-document.ts";
import { richText } from "./rich-text.ts";

/** Success with its fields; errors, which share a shape, as a table of codes. */
export function responses(document: OpenApiDocument, { responses: all = {} }: Operation): Html {
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
