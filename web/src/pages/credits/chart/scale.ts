const WANTED_TICKS = 4;
const STEPS = [1, 2, 5, 10];

/** Round numbers from 0 to just above the largest value, for lines that are read easily. Counts have no fractions. */
export function findTicks(largest: number): number[] {
  const rough = Math.max(1, largest) / WANTED_TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, (STEPS.find((one) => one * power >= rough) ?? 10) * power);
  const count = Math.ceil(Math.max(1, largest) / step);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}
