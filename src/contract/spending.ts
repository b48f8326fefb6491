/** What a user lets an application spend on one connection, in minor units of one currency. At least one of the two is set. */
export interface SpendingLimits {
  readonly currency: string;
  readonly perErrand: number | null;
  readonly perMonth: number | null;
}
