// Plain letters only, so that no two accounts can look alike; and nothing that better-auth would refuse.
const ATOM = "[a-z0-9_'+-]+";
const LABEL = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const EMAIL = new RegExp(`^(?=.{1,64}@)${ATOM}(?:\\.${ATOM})*(?<!')@(?:${LABEL}\\.)+[a-z]{2,}$`);

/** The address in lower case, as accounts are found by it; null when it is none. */
export function parseEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  return EMAIL.test(email) && email.length <= 254 ? email : null;
}
