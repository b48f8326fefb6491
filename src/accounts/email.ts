const EMAIL = /^[^\s@<>"\p{C}]{1,64}@[^\s@<>"\p{C}]+\.[^\s@<>".\p{C}]+$/u;

/** The address in lower case, as accounts are found by it; null when it is none. */
export function parseEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  return EMAIL.test(email) && email.length <= 254 ? email : null;
}
