/** What the promise answers, or null when it has not done so in time. It may go on; its failure is then nobody's. */
export async function inTime<T>(promise: Promise<T>, timeoutMs: number): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, timeoutMs, null);
  try {
    promise.catch(() => {});
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
