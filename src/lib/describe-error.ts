/** What an error says. One that stands for several, such as a refused connection on two addresses, says nothing itself. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join("; ");
  return error instanceof Error ? error.message || error.name : String(error);
}
