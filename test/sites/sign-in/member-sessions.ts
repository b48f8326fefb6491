import { randomUUID } from "node:crypto";
import { MEMBER } from "../login.ts";
import type { SiteRequest } from "../site.ts";

export const MEMBER_NAME = "Demo Member";

/** Who is signed in on a site. */
export class MemberSessions {
  readonly #tokens = new Set<string>();
  /** Every token that was ever issued. */
  readonly issued: string[] = [];

  /** A token, or null for the wrong email address or password. */
  open({ field }: SiteRequest): string | null {
    return field("email") === MEMBER.email && field("password") === MEMBER.password ? this.add() : null;
  }

  add(): string {
    const token = randomUUID();
    this.#tokens.add(token);
    this.issued.push(token);
    return token;
  }

  has(token: string): boolean {
    return this.#tokens.has(token);
  }

  /** Signs everyone out, wherever they keep their tokens. */
  drop(): void {
    this.#tokens.clear();
  }
}
