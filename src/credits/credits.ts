import { CallerError } from "../lib/caller-error.ts";
import type { CreditStore } from "./credit-store.ts";

export interface Credits {
  grant(ownerId: string, credits: number): Promise<number>;
  getBalance(ownerId: string): Promise<number>;
}

const MAX_GRANT = 1_000_000_000;

export function createCredits({ store }: { store: CreditStore }): Credits {
  return {
    async grant(ownerId, credits) {
      if (!Number.isInteger(credits) || credits < 1 || credits > MAX_GRANT) {
        throw new CallerError("INVALID_REQUEST", `The amount must be a whole number from 1 to ${MAX_GRANT}.`);
      }
      return store.grant(ownerId, credits);
    },
    getBalance: (ownerId) => store.getBalance(ownerId),
  };
}
