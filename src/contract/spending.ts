/** What a user lets an application spend on one connection, in minor units of one currency. At least one of the two is set. */
export interface SpendingLimits {
  readonly currency: string;
  readonly perErrand: number | null;
  readonly perMonth: number | null;
}

/** Then the limit per errand never matters: the user may have mixed them up. */
export function isMonthLower({ perErrand, perMonth }: SpendingLimits): boolean {
  return perErrand !== null && perMonth !== null && perMonth < perErrand;
}
