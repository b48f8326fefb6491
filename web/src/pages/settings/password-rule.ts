const MIN_LENGTH = 8;
const MAX_LENGTH = 128;

export const PASSWORD_RULE = `${MIN_LENGTH} to ${MAX_LENGTH} characters; a few words are easier to remember.`;

/** What the service would say; said before anything is sent. */
export function findPasswordProblem({ length }: string): string | null {
  if (length < MIN_LENGTH) return `Please choose a password of at least ${MIN_LENGTH} characters.`;
  return length > MAX_LENGTH ? `Please choose a password of at most ${MAX_LENGTH} characters.` : null;
}
