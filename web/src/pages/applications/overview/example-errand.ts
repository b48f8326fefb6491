import type { ConsoleApplication } from "../../../../../src/contract/console/applications.ts";

/** A prompt that works on any site; with a start only where the application names none. */
export function exampleErrand(application: ConsoleApplication): { prompt: string; start_url?: string } {
  const prompt = "Tell me the title of the page.";
  if (application.home_url !== null) return { prompt };
  const host = application.allowed_hosts.find((pattern) => !pattern.startsWith("*."));
  const fallback = host === undefined ? "https://example.com/" : `https://${host}/`;
  return { prompt, start_url: application.sign_in_url ?? fallback };
}
