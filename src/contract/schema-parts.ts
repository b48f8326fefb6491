import { type Static, type TSchema, Type } from "typebox";

export function Nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, { type: "null" }] });
}
