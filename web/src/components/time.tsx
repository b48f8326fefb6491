import { Text, Tooltip } from "@mantine/core";
import { useSyncExternalStore } from "react";

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];
const LONG_AGO_SECONDS = 30 * 86_400;
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const absolute = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });

/** Such as "3 minutes ago", with the exact time as a tooltip. */
export function RelativeTime({ at }: { at: string }) {
  const date = new Date(at);
  const text = useClock((nowMs) => describe((date.getTime() - nowMs) / 1_000, date));
  return (
    <Tooltip label={absolute.format(date)} openDelay={300}>
      <Text component="time" span inherit dateTime={at}>
        {text}
      </Text>
    </Tooltip>
  );
}

function describe(seconds: number, date: Date): string {
  if (Math.abs(seconds) > LONG_AGO_SECONDS) return day.format(date);
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** Such as "1 min 12 s". Counts up while there is no end. */
export function Duration({ from, to }: { from: string; to: string | null }) {
  const fromMs = Date.parse(from);
  const text = useClock((nowMs) => formatDuration((to === null ? Math.max(nowMs, fromMs) : Date.parse(to)) - fromMs));
  return <span className="tabular">{text}</span>;
}

export function formatDuration(durationMs: number): string {
  const seconds = durationMs / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** Renders with a clock shared by the whole page, so that times side by side never contradict each other. */
export function useClock(format: (nowMs: number) => string): string {
  return useSyncExternalStore(subscribe, () => format(readClock()));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

/** The clock does not tick without listeners, so it may be behind. */
function readClock(): number {
  if (Date.now() - nowMs >= 2 * TICK_MS) nowMs = Date.now();
  return nowMs;
}
