import { Text, Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";

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

/** "3 minutes ago", with the exact time behind it. */
export function Moment({ at }: { at: string }) {
  const nowMs = useNow(at);
  const date = new Date(at);
  return (
    <Tooltip label={absolute.format(date)} openDelay={300}>
      <Text component="time" span inherit dateTime={at}>
        {describe((date.getTime() - nowMs) / 1_000, date)}
      </Text>
    </Tooltip>
  );
}

function describe(seconds: number, date: Date): string {
  if (Math.abs(seconds) > LONG_AGO_SECONDS) return day.format(date);
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return relative.format(Math.round(seconds / size), unit);
}

/** Ticks every few seconds while it is fresh, and seldom afterwards. */
function useNow(at: string): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const isFresh = Date.now() - Date.parse(at) < 120_000;
    const timer = setInterval(() => setNowMs(Date.now()), isFresh ? 5_000 : 60_000);
    return () => clearInterval(timer);
  }, [at]);
  return nowMs;
}
