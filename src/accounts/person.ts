/** A person with an account: a user of applications, an owner of some, or both. */
export interface Person {
  id: string;
  email: string;
}

export interface PersonStore {
  /** Creates the person, without a password, when nobody has this email address. */
  findOrCreate(email: string): Promise<Person>;
  /** The installation's first owner; null until someone claims the installation. */
  findFirstOwner(): Promise<Person | null>;
}

// ASCII only, so that no two accounts look alike, and nothing that better-auth rejects.
const ATOM = "[a-z0-9_'+-]+";
const LABEL = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const EMAIL = new RegExp(`^(?=.{1,64}@)${ATOM}(?:\\.${ATOM})*(?<!')@(?:${LABEL}\\.)+[a-z]{2,}$`);

/** In lower case, as accounts are looked up; null when the text is not an email address. */
export function parseEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  return EMAIL.test(email) && email.length <= 254 ? email : null;
}

export const PASSWORD_MIN_LENGTH = 8;
export const PASSWORD_MAX_LENGTH = 128;
