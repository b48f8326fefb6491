import { randomBytes } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { sha256 } from "../lib/hash.ts";
import type { People } from "./people.ts";
import { parseEmail } from "./person.ts";

/** New passwords for people who forgot theirs, by a link that works once and for an hour. */
export interface PasswordResets {
  /** Whether a link can be sent by mail. Otherwise the operator creates it on the command line. */
  readonly canSendMail: boolean;
  /** Null when nobody has this email address. Earlier links of this person stop working. */
  createLink(email: string): Promise<{ url: string; expiresAt: Date } | null>;
  /** Does the same for every email address, as far as the caller can see: the mail is sent after this returns. */
  sendLink(email: string): void;
  isUsable(token: string): Promise<boolean>;
  /** Of concurrent calls with one token, one succeeds. All sessions of the person end. */
  reset(token: string, password: string): Promise<{ ok: true; email: string } | { ok: false; reason: string }>;
}

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

interface PasswordResetDependencies {
  // biome-ignore lint/suspicious/noExplicitAny: the table belongs to better-auth, which takes any database
  database: Kysely<any>;
  people: Pick<People, "setPassword" | "findPasswordProblem">;
  publicUrl: string;
  /** Null when no mail server is configured. */
  sendMail: ((mail: Mail) => Promise<void>) | null;
  onMailFailed: (error: unknown) => void;
}

const LIFETIME_MINUTES = 60;
const TOKEN_BYTES = 32;
const USED = "This link has expired or was already used. Please ask for a new one.";

export function createPasswordResets(dependencies: PasswordResetDependencies): PasswordResets {
  const { database, people, publicUrl, sendMail, onMailFailed } = dependencies;

  async function createLink(email: string): Promise<{ url: string; expiresAt: Date } | null> {
    const parsed = parseEmail(email);
    if (parsed === null) return null;
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const { rows } = await sql<{ expiresAt: Date }>`
      with person as (
        select id from users where email = ${parsed}
      ), earlier as (
        delete from verifications using person
        where value = person.id::text and identifier like ${`${PREFIX}%`}
      )
      insert into verifications (identifier, value, expires_at)
      select ${identify(token)}, person.id::text, now() + ${LIFETIME_MINUTES} * interval '1 minute' from person
      returning expires_at as "expiresAt"
    `.execute(database);
    const [row] = rows;
    return row === undefined ? null : { url: `${publicUrl}/reset-password?token=${token}`, ...row };
  }

  async function mailLink(send: (mail: Mail) => Promise<void>, email: string): Promise<void> {
    const link = await createLink(email);
    if (link !== null) await send({ to: email, subject: "Your new password for Errand", text: writeMail(link.url) });
  }

  return {
    canSendMail: sendMail !== null,
    createLink,

    sendLink(email) {
      const parsed = parseEmail(email);
      if (sendMail !== null && parsed !== null) mailLink(sendMail, parsed).catch(onMailFailed);
    },

    async isUsable(token) {
      const { rows } = await sql`
        select 1 from verifications where identifier = ${identify(token)} and expires_at > now()
      `.execute(database);
      return rows.length > 0;
    },

    async reset(token, password) {
      // Before the token is used up.
      const problem = people.findPasswordProblem(password);
      if (problem !== null) return { ok: false, reason: problem };
      const { rows } = await sql<{ email: string }>`
        with used as (
          delete from verifications where identifier = ${identify(token)} and expires_at > now() returning value
        )
        select email from users join used on users.id::text = used.value
      `.execute(database);
      const [person] = rows;
      if (person === undefined) return { ok: false, reason: USED };
      const outcome = await people.setPassword(person.email, password);
      return outcome.ok ? { ok: true, email: person.email } : outcome;
    },
  };
}

const PREFIX = "password-reset:";

/** Stored instead of the token: nobody who reads the database can use it. */
function identify(token: string): string {
  return `${PREFIX}${sha256(token).toString("hex")}`;
}

function writeMail(url: string): string {
  return `Somebody, probably you, asked for a new password for your Errand account.

To choose one, open this link within an hour. It works once:

${url}

If you did not ask for it, ignore this message. Your password stays as it is.
`;
}
