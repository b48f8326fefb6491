import type { Usage } from "../../../../src/contract/console/credits.ts";
import { cleanText } from "../../components/untrusted-text.tsx";

export type Measure = "credits" | "executions";

/** One application, or all smaller ones together, with one value per day. */
export interface Series {
  id: string;
  name: string;
  color: string;
  values: number[];
}

/** Distinguishable with common color-vision deficiencies, and visible on light and dark backgrounds. */
const COLORS = ["teal", "blue", "orange", "grape", "yellow", "pink"].map((name) => `${name}.6`);
const OTHERS = { id: "others", name: "Others", color: "gray.6" };

/** Largest first. Applications beyond the last color are combined. */
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
