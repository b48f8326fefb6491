import type { Account } from "../people/accounts.ts";
import type { Session } from "../people/sessions.ts";
import type { Day } from "../trade/calendar.ts";
import type { Cart } from "../trade/cart.ts";
import type { ShopState } from "./state.ts";

/** One request, as a route sees it. */
export interface Visit {
  shop: ShopState;
  session: Session;
  /** The signed-in user. */
  account: Account | null;
  method: string;
  path: string;
  query: URLSearchParams;
  params: Record<string, string>;
  form: URLSearchParams;
  now: Date;
  today: Day;
}

export interface MemberVisit extends Visit {
  account: Account;
}

export function cartOf({ account, session }: Visit): Cart {
  return account?.cart ?? session.cart;
}

const MAX_FIELD_LENGTH = 2_000;

/** A field of the submitted form, trimmed. */
export function field({ form }: Visit, name: string): string {
  return (form.get(name) ?? "").trim().slice(0, MAX_FIELD_LENGTH);
}
