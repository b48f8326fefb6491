import { randomUUID } from "node:crypto";
import { APIError } from "better-auth/api";
import { createSemaphore } from "../lib/semaphore.ts";
import { type Auth, type AuthOptions, createAuth } from "./auth.ts";
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH, type Person, parseEmail } from "./person.ts";

/** Signing up, in and out in a browser. Cookies are passed as plain headers, independent of the web framework. */
export interface People extends PersonSessions {
  /** Creates the account, and does not sign in. The outcome is the same when the email address already has an account. */
  signUp(credentials: Credentials, headers: Headers): Promise<SignUpOutcome>;
  signIn(credentials: Credentials, headers: Headers): Promise<SignInOutcome>;
  signOut(headers: Headers): Promise<{ cookies: string[] }>;
  /** For operators: sets the password of someone who has none or forgot it, and ends all their sessions. */
  setPassword(email: string, password: string): Promise<SetPasswordOutcome>;
  /** Null when the password can be used. */
  findPasswordProblem(password: string): string | null;
  /** Changes the person's own password and ends all their sessions; the cookies belong to a new one. */
  changePassword(change: PasswordChange, headers: Headers): Promise<ChangePasswordOutcome>;
}

export interface Credentials {
  email: string;
  password: string;
}

interface PasswordChange {
  current: string;
  next: string;
}

type SignUpOutcome =
  /** A made-up id when there was an account already. */
  { ok: true; userId: string } | { ok: false; reason: string };

type SignInOutcome = { ok: true; userId: string; cookies: string[] } | { ok: false; reason: string };

type ChangePasswordOutcome = { ok: true; cookies: string[] } | { ok: false; reason: string };

type SetPasswordOutcome = { ok: true; userId: string } | { ok: false; reason: string };

const TOO_SHORT = `Please choose a password of at least ${PASSWORD_MIN_LENGTH} characters.`;
const TOO_LONG = `Please choose a password of at most ${PASSWORD_MAX_LENGTH} characters.`;
const INVALID_EMAIL = { ok: false, reason: "Please enter a valid email address." } as const;
/** better-auth's code for losing a race against another sign-up with the same email address. */
const LOST_RACE = "FAILED_TO_CREATE_USER";
/** better-auth's provider id for email and password. */
const CREDENTIAL = "credential";

/** Hashing a password takes a core, 32 MB and one of Node's four pool threads; the others are left for file access. */
const MAX_CONCURRENT_HASHES = 2;
const MAX_QUEUED_HASHES = 30;

export function createPeople(options: AuthOptions): People {
  const auth = createAuth(options);
  const hashing = createSemaphore(MAX_CONCURRENT_HASHES, MAX_QUEUED_HASHES);

  return {
    ...createPersonSessions(auth),

    async signUp({ email, password }, headers) {
      const parsed = parseEmail(email);
      if (parsed === null) return INVALID_EMAIL;
      const body = { email: parsed, password, name: parsed };
      try {
        const { user } = await hashing.take(() => auth.api.signUpEmail({ body, headers }));
        return { ok: true, userId: user.id };
      } catch (error) {
        if (!isRejection(error)) throw error;
        if (error.body?.code === LOST_RACE) return { ok: true, userId: randomUUID() };
        return { ok: false, reason: explainRejection(error) };
      }
    },

    async signIn({ email, password }, headers) {
      const parsed = parseEmail(email);
      if (parsed === null) return INVALID_EMAIL;
      const body = { email: parsed, password };
      try {
        const signedIn = await hashing.take(() => auth.api.signInEmail({ body, headers, returnHeaders: true }));
        return { ok: true, userId: signedIn.response.user.id, cookies: signedIn.headers.getSetCookie() };
      } catch (error) {
        if (!isRejection(error)) throw error;
        return { ok: false, reason: explainRejection(error) };
      }
    },

    async signOut(headers) {
      const response = await auth.api.signOut({ headers, returnHeaders: true });
      return { cookies: response.headers.getSetCookie() };
    },

    findPasswordProblem,

    async setPassword(email, password) {
      const problem = findPasswordProblem(password);
      if (problem !== null) return { ok: false, reason: problem };
      const { internalAdapter, password: hasher } = await auth.$context;
      const found = await internalAdapter.findUserByEmail(parseEmail(email) ?? "", { includeAccounts: true });
      if (found === null) return { ok: false, reason: `There is no account with the email address ${email}.` };
      const userId = found.user.id;
      const hash = await hashing.take(() => hasher.hash(password));
      if (found.accounts.some(({ providerId }) => providerId === CREDENTIAL))
        await internalAdapter.updatePassword(userId, hash);
      else await internalAdapter.linkAccount({ userId, providerId: CREDENTIAL, accountId: userId, password: hash });
      await internalAdapter.deleteUserSessions(userId);
      return { ok: true, userId };
    },

    async changePassword({ current, next }, headers) {
      const body = { currentPassword: current, newPassword: next, revokeOtherSessions: true };
      try {
        const response = await hashing.take(() => auth.api.changePassword({ body, headers, returnHeaders: true }));
        return { ok: true, cookies: response.headers.getSetCookie() };
      } catch (error) {
        if (!isRejection(error)) throw error;
        return { ok: false, reason: explainRejection(error) };
      }
    },
  };
}

function findPasswordProblem({ length }: string): string | null {
  if (length < PASSWORD_MIN_LENGTH) return TOO_SHORT;
  return length > PASSWORD_MAX_LENGTH ? TOO_LONG : null;
}

function isRejection(error: unknown): error is APIError {
  return error instanceof APIError && error.statusCode < 500;
}

function explainRejection(error: APIError): string {
  switch (error.body?.code) {
    case "PASSWORD_TOO_SHORT":
      return TOO_SHORT;
    case "PASSWORD_TOO_LONG":
      return TOO_LONG;
    case "INVALID_PASSWORD":
      return "The current password is wrong. Please try again.";
    case "CREDENTIAL_ACCOUNT_NOT_FOUND":
      return "Your account has no password yet. Ask the operator to set one with errand user set-password.";
    default:
      return "The email address or the password is wrong. Please try again, or use “Forgot password?”.";
  }
}

/** Who is signed in, and in which browsers. Always limited to the person whose session the headers carry. */
interface PersonSessions {
  findSignedIn(headers: Headers): Promise<Person | null>;
  /** Newest first. */
  listSessions(headers: Headers): Promise<PersonSession[]>;
  /** False when they have no such session. */
  endSession(id: string, headers: Headers): Promise<boolean>;
  endOtherSessions(headers: Headers): Promise<void>;
}

/** One browser in which a person is signed in. */
interface PersonSession {
  id: string;
  isCurrent: boolean;
  createdAt: Date;
  /** Accurate to about ten minutes. */
  lastUsedAt: Date;
  ipAddress: string | null;
  userAgent: string | null;
}

function createPersonSessions(auth: Auth): PersonSessions {
  async function listOwn(headers: Headers) {
    const current = await auth.api.getSession({ headers });
    if (current === null) return [];
    const { internalAdapter } = await auth.$context;
    const sessions = await internalAdapter.listSessions(current.user.id, { onlyActiveSessions: true });
    return sessions.map((session) => ({ ...session, isCurrent: session.id === current.session.id }));
  }

  async function end(sessions: { token: string }[]): Promise<void> {
    const { internalAdapter } = await auth.$context;
    await Promise.all(sessions.map(({ token }) => internalAdapter.deleteSession(token)));
  }

  return {
    async findSignedIn(headers) {
      const session = await auth.api.getSession({ headers });
      return session === null ? null : { id: session.user.id, email: session.user.email };
    },

    async listSessions(headers) {
      const sessions = await listOwn(headers);
      return sessions
        .map(({ id, isCurrent, createdAt, updatedAt, ipAddress, userAgent }) => ({
          id,
          isCurrent,
          createdAt,
          lastUsedAt: updatedAt,
          ipAddress: ipAddress || null,
          userAgent: userAgent || null,
        }))
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
    },

    async endSession(id, headers) {
      const found = (await listOwn(headers)).filter((session) => session.id === id);
      await end(found);
      return found.length > 0;
    },

    async endOtherSessions(headers) {
      await end((await listOwn(headers)).filter(({ isCurrent }) => !isCurrent));
    },
  };
}
