import { randomUUID } from "node:crypto";
import type { Budget, Spending } from "../agent/gate/people.ts";
import { StopReason } from "../agent/loop/errand.ts";
import type { Claim } from "../executions/queue.ts";
import type { SpendingStore } from "../executions/spending.ts";
import type { Clock } from "../lib/clock.ts";
import { toMoney } from "../lib/money.ts";
import type { RetryWhileUnavailable } from "./retry-while-unavailable.ts";

interface RunBudgetOptions {
  claim: Claim;
  spending: SpendingStore;
  clock: Clock;
  retry: RetryWhileUnavailable;
  stop(reason: StopReason): void;
}

/** What the user lets one run spend; null without limits. */
export function createRunBudget({ claim, spending, clock, retry, stop }: RunBudgetOptions): Budget | null {
  const { execution, fence, hasSpendingLimits } = claim;
  if (!hasSpendingLimits) return null;
  return {
    async reserve({ value, currency }, isApproved) {
      const amount = toMoney({ value, currency: DEAREST.get(currency) ?? currency });
      if (amount === null) {
        if (isApproved) return { kind: "reserved", spending: NOTHING };
        return {
          kind: "refused",
          why: `There is a spending limit, and ${value} ${currency} cannot be compared.`,
        };
      }
      // Generated here, so that a retry after a lost response makes the same one.
      const id = randomUUID();
      const reservation = { id, amount, isApproved, at: clock.now() };
      const result = await retry(() => spending.reserve(execution.id, fence, reservation));
      switch (result.kind) {
        case "refused":
          return result;
        case "unlimited":
          return { kind: "reserved", spending: NOTHING };
        case "lease_lost": {
          const reason = new StopReason("lease_lost");
          stop(reason);
          throw reason;
        }
        case "reserved":
          return {
            kind: "reserved",
            spending: {
              begin: () => retry(() => spending.markSending(id)),
              settle: (isSent) => retry(() => spending.settle(id, isSent ? "capture" : "release")),
            },
          };
      }
    },
  };
}

const NOTHING: Spending = { begin: async () => {}, settle: async () => {} };

/** A sign that several currencies share counts as the one of them that is worth most, so that no limit is exceeded. */
const DEAREST = new Map([
  ["$", "USD"],
  ["¥", "CNY"],
  ["kr", "DKK"],
]);
