/** Formats integer cents: 124900 is €1,249.00. */
export function formatMoney(cents: number): string {
  const whole = Math.trunc(Math.abs(cents) / 100).toString();
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  const fraction = (Math.abs(cents) % 100).toString().padStart(2, "0");
  return `${cents < 0 ? "−" : ""}€${grouped}.${fraction}`;
}
