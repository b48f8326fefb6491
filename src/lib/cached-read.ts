/**
 * Calls `read` at most once in `maxAgeMs`; in between, callers share the last result. After a failure, which `onFailure` gets,
 * that is null.
 */
export function cacheRead<Value>(
  read: () => Promise<Value>,
  maxAgeMs: number,
  onFailure: (error: unknown) => void,
): () => Promise<Value | null> {
  let last: { value: Promise<Value | null>; atMs: number } | null = null;
  return () => {
    if (last === null || performance.now() - last.atMs > maxAgeMs) {
      const value = read().catch((error: unknown) => {
        onFailure(error);
        return null;
      });
      last = { value, atMs: performance.now() };
    }
    return last.value;
  };
}
