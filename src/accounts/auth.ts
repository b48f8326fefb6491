import { betterAuth } from "better-auth";
import type { Kysely } from "kysely";
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "./person.ts";

export interface AuthOptions {
  // biome-ignore lint/suspicious/noExplicitAny: better-auth takes table names as settings, not a typed schema
  database: Kysely<any>;
  secret: string;
  publicUrl: string;
}

const SESSION_SECONDS = 30 * 24 * 60 * 60;
/** How often a session's last use is written to the database. */
const SESSION_UPDATE_SECONDS = 10 * 60;

export type Auth = ReturnType<typeof createAuth>;

/** better-auth on our own tables: its model and field names are mapped to our columns. */
export function createAuth({ database, secret, publicUrl }: AuthOptions) {
  const timestamps = { createdAt: "created_at", updatedAt: "updated_at" };
  return betterAuth({
    appName: "Errand",
    baseURL: publicUrl,
    secret,
    database: { db: database, type: "postgres", transaction: true },
    telemetry: { enabled: false },
    logger: { disabled: true },
    // The HTTP routes limit attempts themselves.
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: PASSWORD_MIN_LENGTH,
      maxPasswordLength: PASSWORD_MAX_LENGTH,
      // So that signing up looks the same, and takes as long, for an email address that has an account.
      autoSignIn: false,
    },
    user: { modelName: "users", fields: { emailVerified: "email_verified", ...timestamps } },
    session: {
      modelName: "sessions",
      expiresIn: SESSION_SECONDS,
      updateAge: SESSION_UPDATE_SECONDS,
      fields: {
        userId: "user_id",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        ...timestamps,
      },
    },
    account: {
      modelName: "credentials",
      fields: {
        userId: "user_id",
        accountId: "account_id",
        providerId: "provider_id",
        accessToken: "access_token",
        refreshToken: "refresh_token",
        idToken: "id_token",
        accessTokenExpiresAt: "access_token_expires_at",
        refreshTokenExpiresAt: "refresh_token_expires_at",
        ...timestamps,
      },
    },
    verification: { modelName: "verifications", fields: { expiresAt: "expires_at", ...timestamps } },
    advanced: {
      cookiePrefix: "errand",
      // Set by our HTTP layer, which knows the trusted proxies.
      ipAddress: { ipAddressHeaders: ["x-forwarded-for"], ipv6Subnet: 128 },
      useSecureCookies: publicUrl.startsWith("https:"),
      database: { generateId: "uuid", validateSchema: false },
    },
  });
}
