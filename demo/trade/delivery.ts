import { addDays, type Day, formatDay, isSunday, parseDay, skipSunday } from "./calendar.ts";
import { formatMoney } from "./money.ts";

export interface DeliveryMethod {
  id: "standard" | "express" | "collect";
  label: string;
  hint: string;
  priceCents: number;
  days: number;
}

export const FREE_DELIVERY_FROM_CENTS = 7_500;
const LATEST_DAYS = 30;

export const STANDARD: DeliveryMethod = {
  id: "standard",
  label: "Standard delivery",
  hint: `Three days or later; free from ${formatMoney(FREE_DELIVERY_FROM_CENTS)}`,
  priceCents: 490,
  days: 3,
};

export const DELIVERY_METHODS: readonly DeliveryMethod[] = [
  STANDARD,
  { id: "express", label: "Express delivery", hint: "Tomorrow or later", priceCents: 990, days: 1 },
  { id: "collect", label: "Collect from our shop", hint: "In two days or later", priceCents: 0, days: 2 },
];

export function findDeliveryMethod(id: string): DeliveryMethod | undefined {
  return DELIVERY_METHODS.find((method) => method.id === id);
}

export function earliestDay(method: DeliveryMethod, today: Day): Day {
  return skipSunday(addDays(today, method.days));
}

/** With the fastest method. */
export function firstPossibleDay(today: Day): Day {
  return skipSunday(addDays(today, Math.min(...DELIVERY_METHODS.map(({ days }) => days))));
}

export function latestDay(today: Day): Day {
  return addDays(today, LATEST_DAYS);
}

/** The problem with a chosen day; null if there is none. */
export function problemWithDay(text: string, method: DeliveryMethod, today: Day): string | null {
  if (text === "") return "Choose a day for your delivery.";
  const day = parseDay(text);
  if (day === null) return "Enter the day as year, month and day, for example 2026-03-14.";
  const earliest = earliestDay(method, today);
  if (day < earliest) return `${method.label} is possible from ${formatDay(earliest)}.`;
  if (day > latestDay(today)) return `Choose a day up to ${formatDay(latestDay(today))}.`;
  return isSunday(day) ? "We do not deliver on Sundays. Choose another day." : null;
}

export function deliveryCents(method: DeliveryMethod, goodsCents: number): number {
  return method.id === "standard" && goodsCents >= FREE_DELIVERY_FROM_CENTS ? 0 : method.priceCents;
}
