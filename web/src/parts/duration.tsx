import { useEffect, useState } from "react";

/** "1 min 12 s" between two moments. Without an end it goes on. */
export function Duration({ from, to }: { from: string; to: string | null }) {
  const nowMs = useSeconds(to === null);
  const endMs = to === null ? Math.max(nowMs, Date.parse(from)) : Date.parse(to);
  return <span className="tabular">{tellDuration(endMs - Date.parse(from))}</span>;
}

export function tellDuration(durationMs: number): string {
  const seconds = durationMs / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

function useSeconds(isTicking: boolean): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isTicking]);
  return nowMs;
}
