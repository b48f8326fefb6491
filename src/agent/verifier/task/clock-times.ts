const TIME = /(?<![\d.,:])(\d{1,2})(?::(\d{2}))?(?:\s?([ap])\.?m\b\.?)?(?![\d:])/gi;

/** A text without the times of day that one of the others says too, in twelve hours or in twenty-four. */
export function dropStatedTimes(text: string, others: readonly string[]): string {
  const stated = new Set(
    others.flatMap((other) => [...other.matchAll(TIME)].map(toMinutes)).filter((at) => at !== null),
  );
  return text.replace(TIME, (...match) => {
    const at = toMinutes(match as unknown as RegExpMatchArray);
    return at !== null && stated.has(at) ? "" : String(match[0]);
  });
}

/** Of the day; null for a bare number, which need not be a time. */
function toMinutes([, hours, minutes, half]: RegExpMatchArray): number | null {
  if (minutes === undefined && half === undefined) return null;
  const [hour, minute] = [Number(hours), Number(minutes ?? 0)];
  if (minute > 59 || hour > 23 || (half !== undefined && (hour < 1 || hour > 12))) return null;
  if (half === undefined) return hour * 60 + minute;
  return ((hour % 12) + (half.toLowerCase() === "p" ? 12 : 0)) * 60 + minute;
}
