import type { Person } from "./person.ts";

export interface PersonStore {
  /** The person with this address, made (without a password) when there is none. */
  findOrCreate(email: string): Promise<Person>;
  /** Who the installation's first owner is; null until somebody claims it. */
  findFirstOwner(): Promise<Person | null>;
}
