import { type Static, type TSchema, Type } from "typebox";

export const DateTime = Type.String({ format: "date-time", description: "ISO 8601, UTC." });

export function Nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, { type: "null" }] });
}
