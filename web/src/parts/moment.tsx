import { Text, Tooltip } from "@mantine/core";
import { useClock } from "./use-clock.ts";

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
  const date = new Date(at);
  const words = useClock((nowMs) => describe((date.getTime() - nowMs) / 1_000, date));
  return (
    <Tooltip label={absolute.format(date)} openDelay={300}>
      <Text component="time" span inherit dateTime={at}>
        {words}
      </Text>
    </Tooltip>
  );
}

function describe(seconds: number, date: Date): string {
  if (Math.abs(seconds) > LONG_AGO_SECONDS) return day.format(date);
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return relative.format(Math.trunc(seconds / size), unit);
}
