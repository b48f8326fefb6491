import { randomBytes } from "node:crypto";
import { type Cart, emptyCart } from "../trade/cart.ts";

export interface Session {
  id: string;
  /** With rolling sessions: the id that was handed out to replace this one and has not come back yet. */
  successorId: string | null;
  csrfToken: string;
  /** Who is signed in. */
  email: string | null;
  /** Who gave the right password and still owes the one-time code. */
  pendingEmail: string | null;
  /** What a guest has put into the cart. */
  cart: Cart;
  /** Said once, on the next page. */
  notice: string | null;
  /** It follows a session of somebody who was signed in and is no more. */
  lapsed: boolean;
  lastSeenMs: number;
}

const IDLE_MS = 30 * 60 * 1_000;
/** More visitors than a demo has; beyond it the oldest go, so that a crawler cannot fill the memory. */
const MAX_SESSIONS = 5_000;
/** Tells a browser whose session is gone from one that never signed in. */
const MEMBER_PREFIX = "m-";
const GUEST_PREFIX = "g-";

export class Sessions {
  /** Every request gets a new cookie, and the one before ends as soon as the new one is used. */
  rolling = false;
  readonly #byId = new Map<string, Session>();

  /** The session of a cookie, or a new one. */
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

  /** What the browser has to be told to present from now on; null when it has that already. */
  cookieFor(session: Session, presentedId: string | null): string | null {
    if (session.id !== presentedId) return session.id;
    if (!this.rolling) return null;
    // Requests that run side by side all get the same successor, so that none of them signs the others out.
    session.successorId ??= newId(session.email === null ? GUEST_PREFIX : MEMBER_PREFIX);
    this.#byId.set(session.successorId, session);
    return session.successorId;
  }

  /** A new id, so that one planted before signing in is worth nothing afterwards. */
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
