import { betterAuth } from "better-auth";
import { APIError } from "better-auth/api";
import type { Kysely } from "kysely";
import { parseEmail } from "./email.ts";
import type { Person } from "./person.ts";

/** Signing up, in and out in a browser. Cookies come and go as plain headers, whatever the web framework. */
export interface People {
  findSignedIn(headers: Headers): Promise<Person | null>;
  signUp(credentials: Credentials, headers: Headers): Promise<SignInOutcome>;
  signIn(credentials: Credentials, headers: Headers): Promise<SignInOutcome>;
  signOut(headers: Headers): Promise<{ cookies: string[] }>;
  /** The operator's way in for somebody who has none, or has forgotten it; ends all their sessions. */
  setPassword(email: string, password: string): Promise<SetPasswordOutcome>;
}

export interface Credentials {
  email: string;
  password: string;
}

export type SignInOutcome = { ok: true; cookies: string[] } | { ok: false; reason: string };

type SetPasswordOutcome = { ok: true; userId: string } | { ok: false; reason: string };

export const PASSWORD_MIN_LENGTH = 8;
export const PASSWORD_MAX_LENGTH = 128;
const TOO_SHORT = `Please choose a password of at least ${PASSWORD_MIN_LENGTH} characters.`;
const TOO_LONG = `Please choose a password of at most ${PASSWORD_MAX_LENGTH} characters.`;
/** better-auth's name for signing in with a password. */
const CREDENTIAL = "credential";
const SESSION_SECONDS = 30 * 24 * 60 * 60;

interface PeopleOptions {
  // biome-ignore lint/suspicious/noExplicitAny: better-auth works on the tables it is told about, not on a typed schema
  database: Kysely<any>;
  secret: string;
  publicUrl: string;
}

export function createPeople(options: PeopleOptions): People {
  const auth = configure(options);

  async function attempt(call: () => Promise<{ headers: Headers }>): Promise<SignInOutcome> {
    try {
      const { headers } = await call();
      return { ok: true, cookies: headers.getSetCookie() };
    } catch (error) {
      if (error instanceof APIError && error.statusCode < 500) return { ok: false, reason: explain(error) };
      throw error;
    }
  }

  return {
    async findSignedIn(headers) {
      const session = await auth.api.getSession({ headers });
      return session === null ? null : { id: session.user.id, email: session.user.email };
    },

    async signUp({ email, password }, headers) {
      const address = parseEmail(email);
      if (address === null) return { ok: false, reason: "Please enter a valid e-mail address." };
      return attempt(() =>
        auth.api.signUpEmail({ body: { email: address, password, name: address }, headers, returnHeaders: true }),
      );
    },

    async signIn({ email, password }, headers) {
      const address = parseEmail(email);
      if (address === null) return { ok: false, reason: "Please enter a valid e-mail address." };
      return attempt(() => auth.api.signInEmail({ body: { email: address, password }, headers, returnHeaders: true }));
    },

    async signOut(headers) {
      const { headers: answer } = await auth.api.signOut({ headers, returnHeaders: true });
      return { cookies: answer.getSetCookie() };
    },

    async setPassword(email, password) {
      const problem = refusePassword(password);
      if (problem !== null) return { ok: false, reason: problem };
      const { internalAdapter, password: hasher } = await auth.$context;
      const found = await internalAdapter.findUserByEmail(parseEmail(email) ?? "", { includeAccounts: true });
      if (found === null) return { ok: false, reason: `There is no account with the e-mail address ${email}.` };
      const userId = found.user.id;
      const hash = await hasher.hash(password);
      if (found.accounts.some(({ providerId }) => providerId === CREDENTIAL))
        await internalAdapter.updatePassword(userId, hash);
      else await internalAdapter.linkAccount({ userId, providerId: CREDENTIAL, accountId: userId, password: hash });
      await internalAdapter.deleteUserSessions(userId);
      return { ok: true, userId };
    },
  };
}

function refusePassword({ length }: string): string | null {
  if (length < PASSWORD_MIN_LENGTH) return TOO_SHORT;
  return length > PASSWORD_MAX_LENGTH ? TOO_LONG : null;
}

function configure({ database, secret, publicUrl }: PeopleOptions) {
  const timestamps = { createdAt: "created_at", updatedAt: "updated_at" };
  return betterAuth({
    appName: "Errand",
    baseURL: publicUrl,
    secret,
    database: { db: database, type: "postgres", transaction: true },
    telemetry: { enabled: false },
    logger: { disabled: true },
    // The pages count attempts themselves, per network address and per account.
    rateLimit: { enabled: false },
    emailAndPassword: { enabled: true, minPasswordLength: PASSWORD_MIN_LENGTH, maxPasswordLength: PASSWORD_MAX_LENGTH },
    user: { modelName: "users", fields: { emailVerified: "email_verified", ...timestamps } },
    session: {
      modelName: "sessions",
      expiresIn: SESSION_SECONDS,
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
      useSecureCookies: publicUrl.startsWith("https:"),
      database: { generateId: "uuid", validateSchema: false },
    },
  });
}

function explain(error: APIError): string {
  switch (error.body?.code) {
    case "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL":
    case "USER_ALREADY_EXISTS":
    case "FAILED_TO_CREATE_USER":
      return "There is an account with this e-mail address already. Please sign in, or ask the operator for a password.";
    case "PASSWORD_TOO_SHORT":
      return TOO_SHORT;
    case "PASSWORD_TOO_LONG":
      return TOO_LONG;
    default:
      return "The e-mail address and the password do not fit together. Please try again.";
  }
}
