/**
 * How many executions of one connection may be queued. Counting takes longer the more there are, so with a high limit it
 * is done for every hundredth part of it only: a queue may get a little longer than the limit, by one part per process.
 */
export interface QueueLimit {
  /** For the next create: what to count up to, or null when there is no need to count. */
  next(connectionId: string): number | null;
  /** From now on every create of the connection is counted, until one finds room again. */
  noteFull(connectionId: string): void;
}

const PARTS = 100;
const MAX_REMEMBERED = 10_000;

/** 0 is no limit. */
export function createQueueLimit(maxQueued: number): QueueLimit {
  const uncounted = new Map<string, number>();
  const part = Math.max(1, Math.floor(maxQueued / PARTS));

  function remember(connectionId: string, count: number): void {
    // Re-insertion keeps the map ordered by last use.
    uncounted.delete(connectionId);
    uncounted.set(connectionId, count);
    if (uncounted.size > MAX_REMEMBERED) uncounted.delete(uncounted.keys().next().value ?? "");
  }

  return {
    next(connectionId) {
      if (maxQueued === 0) return null;
      const count = uncounted.get(connectionId) ?? part;
      remember(connectionId, count >= part ? 1 : count + 1);
      return count >= part ? maxQueued : null;
    },
    noteFull(connectionId) {
      uncounted.delete(connectionId);
    },
  };
}
