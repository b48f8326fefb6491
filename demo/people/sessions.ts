import { randomBytes } from "node:crypto";
import { type Cart, emptyCart } from "../trade/cart.ts";

export interface Session {
  id: string;
  /** With rolling sessions: the id that was issued to replace this one and has not been used yet. */
  successorId: string | null;
  csrfToken: string;
  /** The signed-in user. */
  email: string | null;
  /** The user who entered the correct password and still has to enter the one-time code. */
  pendingEmail: string | null;
  /** A guest's cart. */
  cart: Cart;
  /** Shown once, on the next page. */
  notice: string | null;
  /** Whether it replaces an expired session of a signed-in user. */
  lapsed: boolean;
  lastSeenMs: number;
}

const IDLE_MS = 30 * 60 * 1_000;
/** Beyond this number the oldest sessions are dropped, so that a crawler cannot exhaust the memory. */
const MAX_SESSIONS = 5_000;
/** Distinguishes a browser whose session has expired from one that never signed in. */
const MEMBER_PREFIX = "m-";
const GUEST_PREFIX = "g-";

export class Sessions {
  /** Every response sets a new cookie, and the previous one expires as soon as the new one is used. */
  rolling = false;
  readonly #byId = new Map<string, Session>();

  /** Returns the session of a cookie, or a new one. */
  resume(presentedId: string | null, now: Date): Session {
    const session = presentedId === null ? undefined : this.#byId.get(presentedId);
    if (session === undefined || now.getTime() - session.lastSeenMs >= IDLE_MS) {
      if (session !== undefined) this.#forget(session);
      return this.#open(GUEST_PREFIX, presentedId?.startsWith(MEMBER_PREFIX) ?? false, now);
    }
    session.lastSeenMs = now.getTime();
    if (presentedId !== null && presentedId === session.successorId) this.#promote(session, presentedId);
    return session;
  }

  /** The cookie to set; null if the browser already has it. */
  cookieFor(session: Session, presentedId: string | null): string | null {
    if (session.id !== presentedId) return session.id;
    if (!this.rolling) return null;
    // Concurrent requests all get the same successor, so that none of them signs the others out.
    session.successorId ??= newId(session.email === null ? GUEST_PREFIX : MEMBER_PREFIX);
    this.#byId.set(session.successorId, session);
    return session.successorId;
  }

  /** Issues a new id, which prevents session fixation. */
  signIn(session: Session, email: string): void {
    session.email = email;
    session.pendingEmail = null;
    session.lapsed = false;
    session.cart = emptyCart();
    session.csrfToken = newToken();
    this.#promote(session, newId(MEMBER_PREFIX));
  }

  signOut(session: Session): void {
    this.#forget(session);
    Object.assign(session, emptySession(newId(GUEST_PREFIX), session.lastSeenMs));
    this.#byId.set(session.id, session);
  }

  dropAll(): void {
    this.#byId.clear();
  }

  #open(prefix: string, lapsed: boolean, now: Date): Session {
    const session = { ...emptySession(newId(prefix), now.getTime()), lapsed };
    this.#byId.set(session.id, session);
    const [oldest] = this.#byId.values();
    if (this.#byId.size > MAX_SESSIONS && oldest !== undefined) this.#forget(oldest);
    return session;
  }

  #promote(session: Session, id: string): void {
    this.#forget(session);
    session.id = id;
    session.successorId = null;
    this.#byId.set(id, session);
  }

  #forget(session: Session): void {
    this.#byId.delete(session.id);
    if (session.successorId !== null) this.#byId.delete(session.successorId);
  }
}

function emptySession(id: string, lastSeenMs: number): Session {
  return {
    id,
    successorId: null,
    csrfToken: newToken(),
    email: null,
    pendingEmail: null,
    cart: emptyCart(),
    notice: null,
    lapsed: false,
    lastSeenMs,
  };
}

function newId(prefix: string): string {
  return prefix + newToken();
}

function newToken(): string {
  return randomBytes(18).toString("base64url");
}
