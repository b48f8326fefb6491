import { useSyncExternalStore } from "react";

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** What it says at this second, by the one clock of the page: two times side by side never contradict each other. */
export function useClock(tell: (nowMs: number) => string): string {
  return useSyncExternalStore(listen, () => tell(readClock()));
}

function listen(hear: () => void): () => void {
  listeners.add(hear);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(hear);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  nowMs = Date.now();
  for (const hear of listeners) hear();
}

/** It stands still while nobody listens. */
function readClock(): number {
  if (Date.now() - nowMs >= 2 * TICK_MS) nowMs = Date.now();
  return nowMs;
}
