export interface CreditStore {
  /** Adds to the balance and to the ledger in one transaction; the new balance. */
  grant(ownerId: string, credits: number): Promise<number>;
  getBalance(ownerId: string): Promise<number>;
}
