import { type OpenApiDocument, resolve, type Schema } from "./open-api-document.ts";

/** The value to show where the document names one; null where the reader has to bring their own. */
export function findExample(document: OpenApiDocument, schema: Schema): { value: unknown } | null {
  const target = resolve(document, schema);
  const values = [target.const, target.example, target.examples?.[0], target.default, target.enum?.[0]];
  const value = values.find((candidate) => candidate !== undefined);
  if (value !== undefined) return { value };
  const option = (target.anyOf ?? target.oneOf)?.find(({ type }) => type !== "null");
  return option === undefined ? null : findExample(document, option);
}

/** What has to be sent, and what else the document has an example for. */
export function exampleFields(document: OpenApiDocument, schema: Schema): [name: string, value: unknown][] {
  const { properties = {}, required = [] } = resolve(document, schema);
  return Object.entries(properties).flatMap(([name, field]): [string, unknown][] => {
    const example = findExample(document, field);
    if (example !== null) return [[name, example.value]];
    return required.includes(name) ? [[name, undefined]] : [];
  });
}
