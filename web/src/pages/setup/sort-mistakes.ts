import { ConsoleError } from "../../api/console-error.ts";

type Place = "email" | "password" | "code" | "other";

/** What was refused, at the field it is about. The service names the field or speaks of it. */
export function sortMistakes(error: Error | null): Partial<Record<Place, string>> {
  if (error === null) return {};
  const details = error instanceof ConsoleError ? error.details : [];
  const named = details.flatMap(({ path, message }): [Place, string][] => {
    const place = placeOf(path);
    return place === "other" ? [] : [[place, message]];
  });
  return named.length > 0 ? Object.fromEntries(named) : { [placeOf(error.message)]: error.message };
}

function placeOf(words: string): Place {
  if (/\bcode\b/i.test(words)) return "code";
  if (/e-?mail/i.test(words)) return "email";
  return /password/i.test(words) ? "password" : "other";
}
