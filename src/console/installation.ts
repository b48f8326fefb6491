import { createHmac } from "node:crypto";
import type { People } from "../accounts/people.ts";
import { parseEmail } from "../accounts/person.ts";
import type { SetupBody, StatusCheck } from "../contract/console/account.ts";
import { CallerError } from "../lib/errors.ts";
import { areEqualSecrets } from "../lib/hash.ts";

/** How a new installation gets its owner: the first who comes, if they sit at the machine or can read its log. */
export interface Setup {
  /** Null once somebody owns the installation. */
  findCode(): Promise<string | null>;
  /** Makes an account, or takes the one that they have; the cookies sign them in. */
  claim(body: SetupBody, from: { isLocal: boolean; headers: Headers }): Promise<{ cookies: string[] }>;
}

export interface SetupStore {
  /** The first owner, as long as that is nobody. */
  findUnclaimed(): Promise<{ ownerId: string } | null>;
  /** However many do so at once, one becomes it. Again for the same person it is no mistake. */
  claim(userId: string): Promise<"claimed" | "taken" | "owner already">;
  /** An account that was made for nothing. */
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

  /** Signing up comes first: whoever has an account already finds out there, without a second guess at a password. */
  async function enter({ email, password }: SetupBody, headers: Headers) {
    const signedUp = await people.signUp({ email, password }, headers);
    const outcome = !signedUp.ok && signedUp.isTaken ? await people.signIn({ email, password }, headers) : signedUp;
    if (outcome.ok) return { ...outcome, isNew: signedUp.ok };
    throw new CallerError("INVALID_REQUEST", !signedUp.ok && signedUp.isTaken ? WRONG_PASSWORD : outcome.reason);
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
        case "owner already":
          throw new CallerError("ALREADY_CLAIMED", OWNER_ALREADY);
      }
    },
  };
}

const CLAIMED = "This installation has an owner already. Please sign in; they can make you an owner of applications.";
const OWNER_ALREADY =
  "This account owns applications of its own already. Please use another e-mail address for the owner of the installation.";
const WRONG_CODE =
  "The setup code is not right. It stands where the service was started, and in its log: look for “setup code”.";
const WRONG_PASSWORD =
  "There is an account with this e-mail address already, and this is not its password. " +
  "“errand user set-password” gives it a new one.";

// Without the letters that are taken for digits; 32 of them, so that five bits make one.
const CODE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_LENGTH = 16;
const CODE_GROUP = /.{4}(?=.)/g;

/** The same in every process of an installation, and another one in every other installation. */
function makeSetupCode(key: Buffer, ownerId: string): string {
  const bytes = createHmac("sha256", key).update(ownerId).digest();
  const letters = [...bytes.subarray(0, CODE_LENGTH)].map((byte) => CODE_ALPHABET.charAt(byte % CODE_ALPHABET.length));
  return letters.join("").replace(CODE_GROUP, "$&-");
}

/** However it was typed. */
function isSetupCode(code: string, typed: string): boolean {
  return areEqualSecrets(normalizeCode(code), normalizeCode(typed));
}

function normalizeCode(text: string): string {
  return text.toUpperCase().replace(/[^0-9A-Z]/g, "");
}

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

/** How the installation is doing. Each check answers in a few seconds, whatever is wrong, and tells no secret. */
export interface InstallationStatus {
  check(): Promise<StatusCheck[]>;
}
