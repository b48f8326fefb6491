import { type Html, html } from "../../../lib/html.ts";
import type { OpenApiDocument, Schema } from "./open-api-document.ts";
import { richText } from "./rich-text.ts";
import { type Constraint, type Shape, shapeOf } from "./schema-shape.ts";

interface Field {
  name: string;
  schema: Schema;
  /** "optional" is said of what is sent, "may be absent" of what is answered; null says nothing. */
  note: "required" | "optional" | "may be absent" | null;
  description?: string | undefined;
}

/** Whether these fields are sent or answered: what needs saying about a missing one differs. */
export type Direction = "request" | "response";

/** The fields of an object, those of nested objects folded inside. */
export function fieldList(
  document: OpenApiDocument,
  fields: Field[],
  direction: Direction,
  within: readonly string[] = [],
): Html {
  return html`<ul class="fields">${fields.map((field) => fieldItem(document, field, direction, within))}</ul>`;
}

export function fieldsOf(shape: Shape, direction: Direction): Field[] {
  return shape.fields.map(([name, { schema, isRequired }]) => ({ name, schema, note: noteOf(isRequired, direction) }));
}

function noteOf(isRequired: boolean, direction: Direction): Field["note"] {
  if (direction === "request") return isRequired ? "required" : "optional";
  return isRequired ? null : "may be absent";
}

function fieldItem(document: OpenApiDocument, field: Field, direction: Direction, within: readonly string[]): Html {
  const shape = shapeOf(document, field.schema);
  const description = field.description ?? shape.description;
  return html`<li>
<p class="field-head"><code class="field-name">${field.name}</code> <span class="field-type">${typeLink(shape)}</span>${
    field.note !== null && html` <span class="note ${field.note === "required" && "strong"}">${field.note}</span>`
  }</p>
${description !== null && html`<p class="field-text">${richText(description)}</p>`}
${shape.constraints.map(constraint)}
${nested(document, shape, direction, within)}
</li>`;
}

function typeLink({ type, name }: Shape): Html {
  if (name === null) return html`${type}`;
  const [before = "", after = ""] = type.split(name, 2);
  return html`${before}<a href="#object-${name}">${name}</a>${after}`;
}

function constraint({ label, values }: Constraint): Html {
  return html`<p class="constraint"><span>${label}</span> ${values.map((value, index) => html`${index > 0 && " "}<code>${value}</code>`)}</p>`;
}

/** A component inside itself is left to its link. */
function nested(document: OpenApiDocument, shape: Shape, direction: Direction, within: readonly string[]): Html | null {
  if (shape.fields.length === 0 || (shape.name !== null && within.includes(shape.name))) return null;
  const inner = shape.name === null ? within : [...within, shape.name];
  const list = fieldList(document, fieldsOf(shape, direction), direction, inner);
  return html`<details class="nested"><summary>${shape.fields.length} ${shape.fields.length === 1 ? "field" : "fields"}</summary>${list}</details>`;
}
