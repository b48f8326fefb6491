/** A person with an account: a user of applications, an owner of some, or both. */
export interface Person {
  id: string;
  email: string;
}

export interface PersonStore {
  /** The person with this address, made (without a password) when there is none. */
  findOrCreate(email: string): Promise<Person>;
  /** Who the installation's first owner is; null until somebody claims it. */
  findFirstOwner(): Promise<Person | null>;
}

// Plain letters only, so that no two accounts can look alike; and nothing that better-auth would refuse.
const ATOM = "[a-z0-9_'+-]+";
const LABEL = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const EMAIL = new RegExp(`^(?=.{1,64}@)${ATOM}(?:\\.${ATOM})*(?<!')@(?:${LABEL}\\.)+[a-z]{2,}$`);

/** The address in lower case, as accounts are found by it; null when it is none. */
export function parseEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  return EMAIL.test(email) && email.length <= 254 ? email : null;
}

export const PASSWORD_MIN_LENGTH = 8;
export const PASSWORD_MAX_LENGTH = 128;
