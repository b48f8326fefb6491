import type { SavedAddress } from "../trade/addresses.ts";
import { type Cart, emptyCart } from "../trade/cart.ts";
import { beginCheckout, type Checkout } from "../trade/checkout.ts";
import type { OneTimeCode } from "./one-time-code.ts";
import { hashPassword, isPassword, type PasswordHash } from "./password.ts";

/** An account. The cart and the checkout belong to it and not to the session, because they outlive it. */
export interface Account {
  email: string;
  displayName: string;
  password: PasswordHash;
  asksForCode: boolean;
  newsletter: boolean;
  addresses: SavedAddress[];
  cart: Cart;
  checkout: Checkout;
  /** The last code sent, if it has not been used. */
  code: OneTimeCode | null;
}

export class Accounts {
  readonly #byEmail = new Map<string, Account>();

  find(email: string): Account | undefined {
    return this.#byEmail.get(normalise(email));
  }

  /** Does not reveal whether the email address or the password was wrong. */
  findByPassword(email: string, password: string): Account | undefined {
    const account = this.find(email);
    return account !== undefined && isPassword(password, account.password) ? account : undefined;
  }

  create(email: string, displayName: string, password: string): Account {
    const account: Account = {
      email: normalise(email),
      displayName,
      password: hashPassword(password),
      asksForCode: false,
      newsletter: false,
      addresses: [],
      cart: emptyCart(),
      checkout: beginCheckout(),
      code: null,
    };
    this.#byEmail.set(account.email, account);
    return account;
  }
}

function normalise(email: string): string {
  return email.trim().toLowerCase();
}
