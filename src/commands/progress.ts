/** What is being done, on standard error, for a person who waits; silent in scripts. */
export function showProgress(message: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${message} …\n`);
}
