/** What the service answered in place of what was asked for. */
export class ConsoleError extends Error {
  override readonly name = "ConsoleError";
  readonly status: number;
  readonly code: string;
  readonly details: readonly { path: string; message: string }[];

  constructor(
    status: number,
    { code, message, details = [] }: { code: string; message: string; details?: { path: string; message: string }[] },
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}
