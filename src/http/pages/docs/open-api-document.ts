/** The part of OpenAPI 3.1 that the reference shows. */
export interface OpenApiDocument {
  info: { title: string; version: string; description?: string };
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema>; securitySchemes?: Record<string, SecurityScheme> };
}

export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses?: Record<string, Response>;
  security?: Record<string, string[]>[];
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  required?: boolean;
  description?: string;
  example?: unknown;
  schema?: Schema;
}

export interface Response {
  description?: string;
  content?: Record<string, Media>;
}

interface Media {
  schema?: Schema;
  example?: unknown;
}

interface SecurityScheme {
  type: string;
  scheme?: string;
  description?: string;
}

export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
}

/** One endpoint, with what the document says about it in other places. */
export interface Endpoint {
  id: string;
  method: string;
  path: string;
  operation: Operation;
}

const METHODS = new Set(["get", "post", "put", "patch", "delete"]);

export function listEndpoints(document: OpenApiDocument): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      if (!METHODS.has(method)) return [];
      return [
        {
          id: operation.operationId ?? `${method}${path.replaceAll(/\W+/g, "-")}`,
          method: method.toUpperCase(),
          path,
          operation,
        },
      ];
    }),
  );
}

const LOCAL = "#/components/schemas/";

/** The name under which a reference is listed, or null for a schema that stands here itself. */
export function referenceName(schema: Schema): string | null {
  return schema.$ref?.startsWith(LOCAL) ? schema.$ref.slice(LOCAL.length) : null;
}

export function resolve(document: OpenApiDocument, schema: Schema): Schema {
  const name = referenceName(schema);
  return name === null ? schema : (document.components?.schemas?.[name] ?? {});
}
