import { Counter } from "prom-client";
import { CallerError } from "../lib/errors.ts";

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

export interface CreditStore {
  /** Adds to the balance and to the ledger in one transaction; returns the new balance. */
  grant(ownerId: string, credits: number): Promise<number>;
  getBalance(ownerId: string): Promise<number>;
}

/** What happens to the reserved credits when an execution ends: only a verified result is charged. */
export function settle(status: "COMPLETED" | "FAILED"): { kind: "capture" | "release"; charged: boolean } {
  return status === "COMPLETED" ? { kind: "capture", charged: true } : { kind: "release", charged: false };
}

/** In the process's default registry, which /metrics serves. */
const creditsTotal = new Counter({
  name: "errand_credits_total",
  help: "Credits that this process granted, reserved, captured for verified results, or released, of all owners together.",
  labelNames: ["kind"],
});
for (const kind of ["grant", "reserve", "capture", "release"]) creditsTotal.inc({ kind }, 0);

export function countCredits(kind: "grant" | "reserve" | "capture" | "release", credits: number): void {
  creditsTotal.inc({ kind }, credits);
}
