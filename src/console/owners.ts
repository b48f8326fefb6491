import { parseEmail } from "../accounts/email.ts";
import { CallerError } from "../lib/caller-error.ts";

/** Somebody who owns applications and pays for them, as the owner of the installation sees them: no more than this. */
export interface ListedOwner {
  id: string;
  email: string | null;
  balance: number;
  applications: number;
  isOperator: boolean;
}

export interface OwnerStore {
  /** The oldest first. */
  list(): Promise<ListedOwner[]>;
  /** Null when nobody has an account with this address. Whoever is an owner already stays the one that they are. */
  make(email: string): Promise<{ owner: ListedOwner; isNew: boolean } | null>;
}

export interface Owners {
  list(): Promise<ListedOwner[]>;
  make(email: string): Promise<{ owner: ListedOwner; isNew: boolean }>;
}

export function createOwners({ store, publicUrl }: { store: OwnerStore; publicUrl: string }): Owners {
  return {
    list: () => store.list(),

    async make(given) {
      const email = parseEmail(given);
      if (email === null) throw new CallerError("INVALID_REQUEST", "Please enter a valid e-mail address.");
      const made = await store.make(email);
      if (made === null) {
        throw new CallerError(
          "NOT_FOUND",
          `Nobody has an account with the e-mail address ${email}. Ask them to sign up at ${publicUrl}/sign-up first.`,
        );
      }
      return made;
    },
  };
}
