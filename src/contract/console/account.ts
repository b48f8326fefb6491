import { type Static, Type } from "typebox";

const closed = { additionalProperties: false };
const Email = Type.String({ minLength: 3, maxLength: 320 });
const Password = Type.String({ minLength: 1, maxLength: 1_000 });

/** GET /console/api/setup: whether nobody owns the installation yet. */
export interface Setup {
  needs_owner: boolean;
  /** Whoever does not come from this machine needs the code that the service has logged. */
  needs_code: boolean;
}

/** POST /console/api/setup → 204: the first owner's account; signs them in. 409 ALREADY_CLAIMED when there is one. */
export const SetupBody = Type.Object(
  { email: Email, password: Password, code: Type.Optional(Type.String({ maxLength: 100 })) },
  closed,
);
export type SetupBody = Static<typeof SetupBody>;

/** GET /console/api/me: who is looking. 401 UNAUTHENTICATED when nobody is signed in. */
export interface Me {
  person: { id: string; email: string };
  /** Null for somebody who owns no applications: they see what may act for them, and nothing else. */
  owner: { id: string; balance: number } | null;
  /** Whether they own the installation: they grant credits, make owners and see its status. */
  is_operator: boolean;
  public_url: string;
  execution_price: number;
  /** Where a first errand can be tried; null without the demo shop. */
  demo_url: string | null;
}

/** PUT /console/api/password → 204: ends all other sessions. */
export const PasswordBody = Type.Object({ current_password: Password, new_password: Password }, closed);
export type PasswordBody = Static<typeof PasswordBody>;

/** GET /console/api/sessions. DELETE …/:id ends one, DELETE /console/api/sessions all but this one; both answer 204. */
export interface SessionList {
  sessions: SessionItem[];
}

export interface SessionItem {
  id: string;
  is_current: boolean;
  created_at: string;
  last_used_at: string;
  ip_address: string | null;
  user_agent: string | null;
}

/** GET /console/api/owners, and POST of an e-mail address → `{ owner }`, 201 when they were none: operators only. */
export interface OwnerList {
  owners: OwnerItem[];
}

export interface OwnerItem {
  id: string;
  /** Null for the first owner until somebody has claimed the installation. */
  email: string | null;
  balance: number;
  applications: number;
  is_operator: boolean;
}

export const OwnerBody = Type.Object({ email: Email }, closed);
export type OwnerBody = Static<typeof OwnerBody>;

/** GET /console/api/status: what `errand doctor` finds; operators only. */
export interface Status {
  checks: StatusCheck[];
}

export interface StatusCheck {
  name: string;
  state: "ok" | "warning" | "failed";
  message: string;
  /** What to do about it; null when nothing has to be done. */
  advice: string | null;
}
