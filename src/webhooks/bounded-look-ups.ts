import type { Resolve } from "../lib/pinned-names.ts";
import { untilAborted } from "../lib/until-aborted.ts";

interface LookUpLimits {
  /** Each holds one of the few threads of the process for as long as the system's resolver takes. */
  atOnce?: number;
  rememberFailureMs?: number;
}

const MAX_FAILURES = 1_000;

/** The same resolver, for names that anybody may have made up: few at a time, each once, and those that failed not at once again. */
export function boundLookUps(resolve: Resolve, limits: LookUpLimits = {}): Resolve {
  const { atOnce = 2, rememberFailureMs = 10_000 } = limits;
  const underWay = new Map<string, Promise<string[]>>();
  const failures = new Map<string, { error: unknown; untilMs: number }>();
  const waiting = new Set<() => void>();
  let running = 0;

  async function untilOneEnds(signal: AbortSignal): Promise<void> {
    const { promise, resolve: wake } = Promise.withResolvers<void>();
    waiting.add(wake);
    try {
      await untilAborted(promise, signal);
    } finally {
      waiting.delete(wake);
    }
  }

  /** Its place is free when the look-up has ended, not when nobody waits for it any more. */
  async function lookUp(name: string): Promise<string[]> {
    running += 1;
    try {
      return await resolve(name, new AbortController().signal);
    } catch (error) {
      if (failures.size >= MAX_FAILURES) failures.clear();
      failures.set(name, { error, untilMs: performance.now() + rememberFailureMs });
      throw error;
    } finally {
      running -= 1;
      for (const wake of waiting) wake();
    }
  }

  function start(name: string): Promise<string[]> {
    const addresses = lookUp(name).finally(() => underWay.delete(name));
    underWay.set(name, addresses);
    return addresses;
  }

  return async (name, signal) => {
    const failure = failures.get(name);
    if (failure !== undefined && failure.untilMs > performance.now()) throw failure.error;
    while (running >= atOnce && !underWay.has(name)) await untilOneEnds(signal);
    return untilAborted(underWay.get(name) ?? start(name), signal);
  };
}
