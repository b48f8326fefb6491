import type { Day } from "./calendar.ts";
import { formatMoney } from "./money.ts";

export type Voucher = {
  code: string;
  label: string;
  minimumCents: number;
  /** The last valid day; null for no limit. */
  lastDay: Day | null;
} & ({ kind: "percent"; percent: number } | { kind: "amount"; cents: number } | { kind: "free-delivery" });

const VOUCHERS: readonly Voucher[] = [
  { code: "WELCOME10", label: "10 % off", minimumCents: 0, lastDay: null, kind: "percent", percent: 10 },
  { code: "TAKE15", label: "€15.00 off", minimumCents: 6_000, lastDay: null, kind: "amount", cents: 1_500 },
  { code: "FREESHIP", label: "Free delivery", minimumCents: 0, lastDay: null, kind: "free-delivery" },
  { code: "SUMMER5", label: "5 % off", minimumCents: 0, lastDay: "2024-08-31", kind: "percent", percent: 5 },
];

export function findVoucher(code: string): Voucher | undefined {
  return VOUCHERS.find((voucher) => voucher.code === code.trim().toUpperCase());
}

/** Why a code is not valid today for items of this value; null if it is. */
export function problemWithVoucher(code: string, goodsCents: number, today: Day): string | null {
  if (code.trim() === "") return "Enter a voucher code.";
  const voucher = findVoucher(code);
  if (voucher === undefined) return "We do not know this voucher code. Check the spelling.";
  if (voucher.lastDay !== null && today > voucher.lastDay) return `The voucher ${voucher.code} has expired.`;
  if (goodsCents < voucher.minimumCents) {
    return `The voucher ${voucher.code} counts from ${formatMoney(voucher.minimumCents)}.`;
  }
  return null;
}

export function discountCents(voucher: Voucher, goodsCents: number): number {
  if (voucher.kind === "percent") return Math.round((goodsCents * voucher.percent) / 100);
  return voucher.kind === "amount" ? Math.min(voucher.cents, goodsCents) : 0;
}
