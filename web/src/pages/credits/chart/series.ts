import type { Usage } from "../../../../../src/contract/console/credits.ts";
import { cleanText } from "../../../components/untrusted-text.tsx";

export type Measure = "credits" | "executions";

/** One application, or all the small ones together, with a number for each day. */
export interface Series {
  id: string;
  name: string;
  color: string;
  values: number[];
}

/** Apart from each other for most eyes, and visible on white as well as on black. */
const COLORS = ["teal", "blue", "orange", "grape", "yellow", "pink"].map((name) => `var(--mantine-color-${name}-6)`);
const OTHERS = { id: "others", name: "Others", color: "var(--mantine-color-gray-6)" };

/** The largest first; those for which there is no colour left become one. */
export function toSeries({ days, applications }: Usage, measure: Measure): Series[] {
  const ranked = applications
    .map((application) => ({ ...application, values: application[measure], total: sum(application[measure]) }))
    .filter(({ total }) => total > 0)
    .sort((one, other) => other.total - one.total);
  const shown = ranked.slice(0, COLORS.length).map(({ id, name, values }, index) => ({
    id,
    name: cleanText(name),
    values,
    color: COLORS[index] ?? OTHERS.color,
  }));
  const rest = ranked.slice(COLORS.length);
  if (rest.length === 0) return shown;
  return [...shown, { ...OTHERS, values: days.map((_, day) => sum(rest.map(({ values }) => values[day] ?? 0))) }];
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
