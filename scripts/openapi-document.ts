/** What the generators of the SDKs read of docs/openapi.json. */

/** A JSON Schema (2020-12). */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema | boolean;
  prefixItems?: Schema[];
}

export interface Content {
  $ref?: string;
  content?: Record<string, { schema?: Schema }>;
}

export interface Parameter {
  $ref?: string;
  in: string;
  name: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

export interface Operation {
  operationId?: string;
  summary?: string;
  parameters?: Parameter[];
  requestBody?: Content;
  responses?: Record<string, Content>;
}

export interface OpenApi {
  paths?: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: {
    schemas?: Record<string, Schema>;
    responses?: Record<string, Content>;
    parameters?: Record<string, Parameter>;
  };
}

export const METHODS: ReadonlySet<string> = new Set(["get", "post", "put", "patch", "delete"]);
