/** Money in whole minor units, such as cents. */
export interface Money {
  readonly minorUnits: number;
  /** ISO 4217, such as "EUR". */
  readonly currency: string;
}

/** How many decimals the currency has: two for EUR, none for JPY. */
export function decimalsOf(currency: string): number {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions();
  return maximumFractionDigits;
}

/** Rounded up. Null for what is not a currency, and for amounts below zero or too large to count exactly. */
export function toMoney({ value, currency }: { value: number; currency: string }): Money | null {
  if (!/^[A-Z]{3}$/.test(currency)) return null;
  // 16.9 * 100 is 1689.9999999999998.
  const minorUnits = Math.ceil(Number((value * 10 ** decimalsOf(currency)).toPrecision(15)));
  return minorUnits >= 0 && Number.isSafeInteger(minorUnits) ? { minorUnits, currency } : null;
}

/** "€16.90" */
export function formatMoney({ minorUnits, currency }: Money): string {
  const value = minorUnits / 10 ** decimalsOf(currency);
  return new Intl.NumberFormat("en", { style: "currency", currency }).format(value);
}
