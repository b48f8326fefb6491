import { createHmac } from "node:crypto";
import type { People } from "../accounts/people.ts";
import { parseEmail } from "../accounts/person.ts";
import type { SetupBody, StatusCheck } from "../contract/console/account.ts";
import { CallerError } from "../lib/errors.ts";
import { areEqualSecrets } from "../lib/hash.ts";

/** How a new installation gets its owner: the first visitor on this machine, or anyone with the setup code from the log. */
export interface Setup {
  /** Null once the installation has an owner. */
  findCode(): Promise<string | null>;
  /** Creates an account or uses an existing one; the cookies sign the person in. */
  claim(body: SetupBody, from: { isLocal: boolean; headers: Headers }): Promise<{ cookies: string[] }>;
}

export interface SetupStore {
  /** The first owner while nobody has claimed it. */
  findUnclaimed(): Promise<{ ownerId: string } | null>;
  /** Of concurrent calls one succeeds. Repeating it for the same person is not an error. */
  claim(userId: string): Promise<"claimed" | "taken" | "already owner">;
  /** Removes an account that was created for a failed claim. */
  deleteAccount(userId: string): Promise<void>;
}

interface SetupDependencies {
  store: SetupStore;
  people: Pick<People, "signUp" | "signIn">;
  key: Buffer;
}

export function createSetup({ store, people, key }: SetupDependencies): Setup {
  async function findCode(): Promise<string | null> {
    const unclaimed = await store.findUnclaimed();
    return unclaimed === null ? null : makeSetupCode(key, unclaimed.ownerId);
  }

  /** Signing up changes nothing when there is an account already; then its own password is needed. */
  async function enter({ email, password }: SetupBody, headers: Headers) {
    const signedUp = await people.signUp({ email, password }, headers);
    if (!signedUp.ok) throw new CallerError("INVALID_REQUEST", signedUp.reason);
    const signedIn = await people.signIn({ email, password }, headers);
    if (!signedIn.ok) throw new CallerError("INVALID_REQUEST", WRONG_PASSWORD);
    return { ...signedIn, isNew: signedIn.userId === signedUp.userId };
  }

  return {
    findCode,

    async claim(body, { isLocal, headers }) {
      const code = await findCode();
      if (code === null) throw new CallerError("ALREADY_CLAIMED", CLAIMED);
      if (!isLocal && !isSetupCode(code, body.code ?? "")) throw new CallerError("FORBIDDEN", WRONG_CODE);
      const { userId, cookies, isNew } = await enter(body, headers);
      switch (await store.claim(userId)) {
        case "claimed":
          return { cookies };
        case "taken":
          if (isNew) await store.deleteAccount(userId);
          throw new CallerError("ALREADY_CLAIMED", CLAIMED);
        case "already owner":
          throw new CallerError("ALREADY_CLAIMED", OWNER_ALREADY);
      }
    },
  };
}

const CLAIMED =
  "This installation already has an owner. Sign in instead; the owner can make you an owner of applications.";
const OWNER_ALREADY =
  "This account already owns applications. Use another email address for the owner of the installation.";
const WRONG_CODE =
  "The setup code is wrong. It was printed when the service started and is in its log: look for “setup code”.";
const WRONG_PASSWORD =
  "There is already an account with this email address, and the password is wrong. " +
  "Set a new one with “errand user set-password”.";

// Crockford's base32: without letters that look like digits.
const CODE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_LENGTH = 16;
const CODE_GROUP = /.{4}(?=.)/g;

/** The same in every process of an installation, and different in every other installation. */
function makeSetupCode(key: Buffer, ownerId: string): string {
  const bytes = createHmac("sha256", key).update(ownerId).digest();
  const letters = [...bytes.subarray(0, CODE_LENGTH)].map((byte) => CODE_ALPHABET.charAt(byte % CODE_ALPHABET.length));
  return letters.join("").replace(CODE_GROUP, "$&-");
}

/** Ignores case, spaces and dashes. */
function isSetupCode(code: string, typed: string): boolean {
  return areEqualSecrets(normalizeCode(code), normalizeCode(typed));
}

function normalizeCode(text: string): string {
  return text.toUpperCase().replace(/[^0-9A-Z]/g, "");
}

/** An owner of applications as the operator sees them: nothing beyond this is shown. */
export interface ListedOwner {
  id: string;
  email: string | null;
  balance: number;
  applications: number;
  isOperator: boolean;
}

export interface OwnerStore {
  /** Oldest first. */
  list(): Promise<ListedOwner[]>;
  /** Null when there is no account with this email address. Has no effect on an existing owner. */
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
      if (email === null) throw new CallerError("INVALID_REQUEST", "Please enter a valid email address.");
      const made = await store.make(email);
      if (made === null) {
        throw new CallerError(
          "NOT_FOUND",
          `There is no account with the email address ${email}. Ask them to sign up at ${publicUrl}/sign-up first.`,
        );
      }
      return made;
    },
  };
}

/** Health of the installation. Each check returns within a few seconds, whatever is wrong, and reveals no secrets. */
export interface InstallationStatus {
  check(): Promise<StatusCheck[]>;
}
