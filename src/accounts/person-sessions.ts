import type { Auth } from "./auth.ts";
import type { Person } from "./person.ts";

/** Who is signed in, and in which browsers. Everything is of whoever the headers say, whatever id is given. */
export interface PersonSessions {
  findSignedIn(headers: Headers): Promise<Person | null>;
  /** The newest first. */
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
  /** To ten minutes or so. */
  lastUsedAt: Date;
  ipAddress: string | null;
  userAgent: string | null;
}

export function createPersonSessions(auth: Auth): PersonSessions {
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
