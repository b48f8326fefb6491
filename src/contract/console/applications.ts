import { type Static, Type } from "typebox";
import { Nullable } from "../schema-parts.ts";
import type { Webhook, WebhookDelivery } from "../webhook.ts";

const closed = { additionalProperties: false };
const Url = Type.String({ maxLength: 2_048 });

const SETTINGS = {
  name: Type.String({ maxLength: 200 }),
  redirect_uris: Type.Array(Url, { maxItems: 50 }),
  home_url: Nullable(Url),
  sign_in_url: Nullable(Url),
  signed_in_url: Nullable(Url),
  signed_in_text: Nullable(Type.String({ maxLength: 500 })),
  signed_out_text: Nullable(Type.String({ maxLength: 500 })),
  allowed_hosts: Type.Array(Type.String({ maxLength: 300 }), { maxItems: 100 }),
  access: Type.Union([Type.Literal("all"), Type.Literal("read_only")]),
  approval: Type.Union([Type.Literal("never"), Type.Literal("commits")]),
  require_pkce: Type.Boolean(),
  mcp_clients: Type.Boolean(),
  stored_credentials: Type.Boolean(),
  recipes: Type.Boolean(),
};

/** POST /console/api/applications → 201 `ApplicationMade` */
export const NewApplicationBody = Type.Object(
  {
    ...Type.Partial(Type.Object(SETTINGS)).properties,
    name: SETTINGS.name,
    type: Type.Union([Type.Literal("public"), Type.Literal("confidential")]),
  },
  closed,
);
export type NewApplicationBody = Static<typeof NewApplicationBody>;

/**
 * PATCH /console/api/applications/:id → `{ application }`. A change from `read_only` to `all` makes its connections
 * REAUTHORIZATION_REQUIRED: their users agreed to less.
 */
export const ApplicationChanges = Type.Partial(Type.Object(SETTINGS), closed);
export type ApplicationChanges = Static<typeof ApplicationChanges>;

/** DELETE /console/api/applications/:id → 204, with its connections and executions. The name confirms it. */
export const DeleteApplicationBody = Type.Object({ name: Type.String({ maxLength: 200 }) }, closed);
export type DeleteApplicationBody = Static<typeof DeleteApplicationBody>;

/** GET /console/api/applications → `{ applications }`, GET /console/api/applications/:id → `{ application }` */
export interface ConsoleApplication {
  id: string;
  name: string;
  type: "public" | "confidential";
  redirect_uris: string[];
  home_url: string | null;
  sign_in_url: string | null;
  signed_in_url: string | null;
  signed_in_text: string | null;
  signed_out_text: string | null;
  allowed_hosts: string[];
  access: "all" | "read_only";
  approval: "never" | "commits";
  require_pkce: boolean;
  /** Whether users may connect MCP clients that are not registered here. */
  mcp_clients: boolean;
  /** Whether users may store credentials, so that an expired sign-in renews itself. */
  stored_credentials: boolean;
  /** Whether errands use recipes, and become recipes when they are verified. */
  recipes: boolean;
  /** When each valid secret was created, newest first. At most two. */
  secrets_created_at: string[];
  connections: number;
  /** In the last 24 hours. */
  recent_executions: number;
  created_at: string;
}

export interface ApplicationList {
  applications: ConsoleApplication[];
}

/**
 * `client_secret` is shown once. Null for a public application. POST …/:id/secrets → 201 `{ client_secret }`; the newest old
 * secret stays valid until DELETE …/:id/secrets/old → 204.
 */
export interface CreatedApplication {
  application: ConsoleApplication;
  client_secret: string | null;
}

/**
 * GET /console/api/applications/:id/connections (`after`, `limit`, `text` in the user's email address) and
 * GET /console/api/connections: the person's own (`text` in the application's name). Newest first. For the application's
 * owner and the user: POST /console/api/connections/:id/stop and …/:id/disconnect → `{ connection }`; DELETE …/:id, with its
 * executions → 204.
 */
export interface ConnectionList {
  connections: ConsoleConnection[];
  has_more: boolean;
}

export interface ConsoleConnection {
  id: string;
  application: {
    id: string;
    name: string;
    access: "all" | "read_only";
    hosts: string[];
    /** Whether users may store credentials. */
    stored_credentials: boolean;
  };
  user: { id: string; email: string };
  state: "ACTIVE" | "REAUTHORIZATION_REQUIRED";
  has_token: boolean;
  /** `commits`: at consent the user asked to be asked before anything is bought, sent or deleted. */
  approval: "never" | "commits";
  /** What may be spent without asking the user, such as "€20.00". */
  spending_limits: { per_errand: string | null; per_month: string | null; is_month_lower: boolean } | null;
  /** When the user last signed in to the site. Null without a saved sign-in. */
  signed_in_at: string | null;
  /**
   * Null without stored credentials. `renewed_at`: when Errand last signed in with them. With `failed_at`, they are not tried
   * again, and `failure` says why in a sentence.
   */
  renewal: { saved_at: string; renewed_at: string | null; failed_at: string | null; failure: string | null } | null;
  last_execution: { id: string; status: string; created_at: string } | null;
  created_at: string;
}

/** A sign-in that was made elsewhere. Its content is checked by reading it. */
export const ImportSignInBody = Type.Object(
  { storage_state: Type.Unknown(), url: Type.Optional(Type.String({ maxLength: 2_048 })) },
  { additionalProperties: false },
);

/**
 * PUT /console/api/connections/:id/credentials → `StoredCredentials`, only for the user; DELETE → 204, also for the owner.
 * Nothing returns them.
 */
export const CredentialsBody = Type.Object(
  {
    user_name: Type.String({ maxLength: 1_000 }),
    password: Type.String({ maxLength: 1_000 }),
    totp_secret: Type.Optional(Type.String({ maxLength: 2_000 })),
  },
  closed,
);
export type CredentialsBody = Static<typeof CredentialsBody>;

export interface StoredCredentials {
  connection: ConsoleConnection;
  /** The current one-time code, to compare with the user's authenticator app. Null without a secret. */
  code: string | null;
}

export const ConnectionQuery = Type.Object(
  {
    after: Type.Optional(Type.String({ maxLength: 36 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    text: Type.Optional(Type.String({ maxLength: 200 })),
  },
  closed,
);
export type ConnectionQuery = Static<typeof ConnectionQuery>;

/**
 * The console manages webhooks with the schemas of the API (`../webhook.ts`) under its own paths. Only the owner of the
 * application may; for others it is a 404. `:application` is /console/api/applications/:applicationId.
 *
 * GET :application/webhooks → `WebhookList`; POST (`CreateWebhook`) → 201 `WebhookWithSecret`; the secret is shown once
 * GET …/webhooks/:webhookId → `WebhookEnvelope`; PATCH (`UpdateWebhook`) → `WebhookEnvelope`; DELETE → 204
 * POST …/webhooks/:webhookId/rotate-secret → `WebhookWithSecret`; both secrets sign for 24 hours
 * POST …/webhooks/:webhookId/ping → 202 `DeliveryEnvelope`
 * GET …/webhooks/:webhookId/deliveries (`after`, `limit`, `only`) → `DeliveryPage`
 * POST …/webhooks/:webhookId/deliveries/:deliveryId/resend → 202 `DeliveryEnvelope`
 */
export interface ConsoleWebhookList {
  webhooks: Webhook[];
}

export interface ConsoleWebhookResponse {
  webhook: Webhook;
}

export interface ConsoleDeliveryPage {
  deliveries: WebhookDelivery[];
  has_more: boolean;
}
