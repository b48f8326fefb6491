import { type Static, type TSchema, Type } from "typebox";

export const DateTime = Type.String({ format: "date-time", description: "ISO 8601, UTC." });

export function Nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, { type: "null" }] });
}

/** Named objects of which one property says which it is. `members` are by the values of that property. */
export function Union<Value>(
  name: string,
  property: string,
  members: Readonly<Record<string, TSchema>>,
  about: { description: string; examples?: unknown[] },
) {
  const named = Object.entries(members).map(
    ([value, schema]) => [value, (schema as { $id?: string }).$id ?? value] as const,
  );
  return Type.Unsafe<Value>({
    $id: name,
    title: name,
    oneOf: named.map(([, id]) => Type.Ref(id)),
    discriminator: {
      propertyName: property,
      mapping: Object.fromEntries(named.map(([value, id]) => [value, `#/components/schemas/${id}`])),
    },
    ...about,
  });
}
