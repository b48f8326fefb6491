import { type Html, html } from "../../../lib/html.ts";
import { type Direction, fieldList, fieldsOf } from "./fields.ts";
import { type OpenApiDocument, referenceName, type Schema } from "./open-api-document.ts";
import { shapeOf } from "./schema-shape.ts";

/** A body, field by field; a body that is a listed component is only pointed at. */
export function objectFields(document: OpenApiDocument, schema: Schema, direction: Direction): Html {
  const name = referenceName(schema);
  if (name !== null) return html`<p><a href="#object-${name}">${name}</a></p>`;
  const shape = shapeOf(document, schema);
  if (shape.fields.length === 0)
    return html`<p class="empty">${schema.properties === undefined ? shape.type : "An empty object."}</p>`;
  return fieldList(document, fieldsOf(shape, direction), direction);
}
