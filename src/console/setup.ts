import type { People } from "../accounts/people.ts";
import type { SetupBody } from "../contract/console/account.ts";
import { CallerError } from "../lib/caller-error.ts";
import { isSetupCode, makeSetupCode } from "./setup-code.ts";

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
