import type { LedgerEntry } from "../../../../src/contract/console/credits.ts";

const WORDS: Record<LedgerEntry["kind"], string> = {
  grant: "Granted",
  reserve: "Set aside for an execution",
  capture: "Paid for a verified result",
  release: "Given back: no verified result",
};

export function describeEntry({ kind }: LedgerEntry): string {
  return WORDS[kind];
}

/** With its sign; what was set aside before and is now paid changes nothing more. */
export function describeChange({ kind, credits, change }: LedgerEntry): string {
  if (kind === "capture" && change === 0) return `paid ${credits.toLocaleString("en")}`;
  if (change === 0) return "0";
  return `${change > 0 ? "+" : "−"}${Math.abs(change).toLocaleString("en")}`;
}
