import { type Static, Type } from "typebox";

const closed = { additionalProperties: false };
const Email = Type.String({ minLength: 3, maxLength: 320 });
const Password = Type.String({ minLength: 1, maxLength: 1_000 });

/** GET /console/api/setup: whether the installation has an owner. */
export interface Setup {
  needs_owner: boolean;
  /** From other machines the setup code in the service's log is required. */
  needs_code: boolean;
}

/** POST /console/api/setup → 204: creates the first owner's account and signs them in. 409 ALREADY_CLAIMED if there is one. */
export const SetupBody = Type.Object(
  { email: Email, password: Password, code: Type.Optional(Type.String({ maxLength: 100 })) },
  closed,
);
export type SetupBody = Static<typeof SetupBody>;

/** GET /console/api/me: the signed-in person. 401 UNAUTHENTICATED if there is none. */
export interface Me {
  person: { id: string; email: string };
  /** Null for someone who is not an application owner: they see only their own connections and errands. */
  owner: { id: string; balance: number } | null;
  /** Whether they operate the installation: grant credits, add owners and see its status. */
  is_operator: boolean;
  public_url: string;
  execution_price: number;
  /** Whether a language model reads prompts. Without one they are read as steps. */
  has_model: boolean;
  /** The demo shop for the first errand. Null without one. */
  demo_url: string | null;
}

/** PUT /console/api/password → 204: ends all other sessions. */
export const PasswordBody = Type.Object({ current_password: Password, new_password: Password }, closed);
export type PasswordBody = Static<typeof PasswordBody>;

/** GET /console/api/sessions. DELETE …/:id ends one, DELETE /console/api/sessions all but the current one, both → 204. */
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

/** GET /console/api/owners; POST an email address → `{ owner }`, 201 if they are a new owner. Operators only. */
export interface OwnerList {
  owners: OwnerItem[];
}

export interface OwnerItem {
  id: string;
  /** Null for the first owner until the installation is claimed. */
  email: string | null;
  balance: number;
  applications: number;
  is_operator: boolean;
}

export const OwnerBody = Type.Object({ email: Email }, closed);
export type OwnerBody = Static<typeof OwnerBody>;

/** GET /console/api/status: the checks of `errand doctor`. Operators only. */
export interface Status {
  checks: StatusCheck[];
}

export interface StatusCheck {
  name: string;
  state: "ok" | "warning" | "failed";
  message: string;
  /** What to do about it. Null if there is nothing to do. */
  advice: string | null;
}
