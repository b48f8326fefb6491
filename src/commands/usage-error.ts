/** What was typed cannot be meant: the message names the argument and says what to write instead. */
export class UsageError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "UsageError";
  }
}
