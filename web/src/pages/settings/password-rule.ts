const MIN_LENGTH = 8;
const MAX_LENGTH = 128;

export const PASSWORD_RULE = `${MIN_LENGTH} to ${MAX_LENGTH} characters. A few words are easy to remember.`;

/** Checks the service's rule before sending. */
export function findPasswordProblem({ length }: string): string | null {
  if (length < MIN_LENGTH) return `Use at least ${MIN_LENGTH} characters.`;
  return length > MAX_LENGTH ? `Use at most ${MAX_LENGTH} characters.` : null;
}
