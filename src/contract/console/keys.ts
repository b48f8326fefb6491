import { type Static, Type } from "typebox";

/** GET /console/api/keys: the owner's API keys. DELETE …/:id → 204 revokes one. */
export interface KeyList {
  keys: KeyItem[];
}

export interface KeyItem {
  id: string;
  name: string;
  /** `read`: the key changes nothing. */
  scope: "read" | "manage";
  /** Null: all applications of the owner. */
  application: { id: string; name: string } | null;
  created_at: string;
  /** To the minute. Null if it was never used. */
  last_used_at: string | null;
}

/** POST /console/api/keys → 201 `CreatedKey` */
export const NewKeyBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    scope: Type.Union([Type.Literal("read"), Type.Literal("manage")]),
    application_id: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]),
  },
  { additionalProperties: false },
);
export type NewKeyBody = Static<typeof NewKeyBody>;

export interface CreatedKey {
  key: KeyItem;
  /** The only time it is shown. */
  secret: string;
}
