import { useClock } from "./use-clock.ts";

/** "1 min 12 s" between two moments. Without an end it goes on. */
export function Duration({ from, to }: { from: string; to: string | null }) {
  const fromMs = Date.parse(from);
  const words = useClock((nowMs) => tellDuration((to === null ? Math.max(nowMs, fromMs) : Date.parse(to)) - fromMs));
  return <span className="tabular">{words}</span>;
}

export function tellDuration(durationMs: number): string {
  const seconds = durationMs / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}
