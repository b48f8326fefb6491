import { type Static, Type } from "typebox";
import { Approval } from "./interaction.ts";
import { DateTime, Nullable } from "./schema-parts.ts";

const State = Type.Unsafe<"ACTIVE" | "REAUTHORIZATION_REQUIRED">({
  type: "string",
  enum: ["ACTIVE", "REAUTHORIZATION_REQUIRED"],
  description:
    "`REAUTHORIZATION_REQUIRED`: nothing runs until the user has signed in or consented again. Send them through the authorization link.",
});
const UserId = Type.String({ format: "uuid", description: "The user who connected." });

const EXAMPLE_CONNECTION = {
  id: "3e9a3a52-3a1c-4f1e-8f6d-1c3a6f0b7d21",
  application_id: "7c0f3c1e-5a0a-4f0e-9c39-4cf0a3b2d1e0",
  user_id: "9d6f3b1a-2c4e-4f60-8a7b-5e1d2c3b4a59",
  state: "ACTIVE",
  approval: "never",
  execution_credits: 1,
  has_credits: true,
};

export const Connection = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    application_id: Type.String({ format: "uuid", description: "The application that the user connected." }),
    user_id: UserId,
    state: State,
    approval: Type.Unsafe<Approval>({
      ...Approval,
      description:
        "`commits`: the application or the user wants runs to wait for a person before anything is bought, sent, published or deleted.",
    }),
    execution_credits: Type.Integer({ description: "What a verified execution costs the application's owner." }),
    has_credits: Type.Boolean({ description: "Whether the owner's balance is enough for another execution." }),
  },
  {
    $id: "Connection",
    title: "Connection",
    additionalProperties: false,
    description: "The connection that a token belongs to.",
    examples: [EXAMPLE_CONNECTION],
  },
);
export type Connection = Static<typeof Connection>;

export const ConnectionEnvelope = Type.Object(
  { connection: Type.Unsafe<Connection>(Type.Ref("Connection")) },
  { additionalProperties: false, description: "The connection." },
);

export const ApplicationConnection = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    user_id: UserId,
    user_email: Type.String({ description: "The user's email address." }),
    state: State,
    signed_in_at: Nullable(
      Type.String({
        format: "date-time",
        description: "When the user last signed in to the site. Null without a saved sign-in.",
      }),
    ),
    last_execution: Nullable(
      Type.Object(
        { id: Type.String({ format: "uuid" }), status: Type.String(), created_at: DateTime },
        { description: "The newest execution. Null if there is none." },
      ),
    ),
    created_at: DateTime,
  },
  {
    $id: "ApplicationConnection",
    title: "ApplicationConnection",
    additionalProperties: false,
    description: "A user's connection, as the owner of the application sees it.",
    examples: [
      {
        id: EXAMPLE_CONNECTION.id,
        user_id: EXAMPLE_CONNECTION.user_id,
        user_email: "user@example.com",
        state: "ACTIVE",
        signed_in_at: null,
        last_execution: null,
        created_at: "2026-05-04T09:30:00.000Z",
      },
    ],
  },
);
export type ApplicationConnection = Static<typeof ApplicationConnection>;

export const ApplicationConnectionPage = Type.Object(
  {
    connections: Type.Array(Type.Unsafe<ApplicationConnection>(Type.Ref("ApplicationConnection")), {
      description: "Newest first.",
    }),
    has_more: Type.Boolean({ description: "Whether there are more. Pass the last id as `after` to get them." }),
  },
  { additionalProperties: false, description: "One page." },
);

export const ListConnectionsQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50, description: "How many to return." })),
    after: Type.Optional(
      Type.String({ maxLength: 100, description: "The id of the last connection on the previous page." }),
    ),
    user_email: Type.Optional(
      Type.String({ maxLength: 320, description: "Only users whose email address contains this." }),
    ),
  },
  { additionalProperties: false },
);

export const BalanceEnvelope = Type.Object(
  {
    balance: Type.Object(
      {
        credits: Type.Integer({ description: "What is left, without what running executions have reserved." }),
        execution_credits: Type.Integer({ description: "What a verified execution costs." }),
      },
      { additionalProperties: false },
    ),
  },
  {
    additionalProperties: false,
    description: "The balance of the application's owner. All applications of an owner share it.",
    examples: [{ balance: { credits: 120, execution_credits: 1 } }],
  },
);
