import { type Series, sum } from "./series.ts";

const short = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

export function formatDay(day: string): string {
  return short.format(new Date(`${day}T00:00:00Z`));
}

/** The figures of a bar for whoever does not see it. */
export function describeDay(series: readonly Series[], day: number, unit: string): string {
  const parts = series.filter(({ values }) => (values[day] ?? 0) > 0);
  if (parts.length === 0) return `no ${unit}`;
  const total = sum(parts.map(({ values }) => values[day] ?? 0));
  return `${total} ${unit}; ${parts.map(({ name, values }) => `${name} ${values[day]}`).join(", ")}`;
}
