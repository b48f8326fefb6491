import type { ApplicationRules } from "../executions/queue.ts";
import { hostPatternsOf } from "../lib/hosts.ts";

interface RunRequest {
  prompt: string;
  startUrl: string | null;
}

// A URL in a sentence ends at the first character that cannot be part of it; trailing punctuation belongs to the sentence.
const URL_IN_TEXT = /https?:\/\/[^\s"'<>`{}|\\^]+/gi;
const TRAILING_PUNCTUATION = /[.,;:!?)\]*_]+$/;

/**
 * The hosts that a run may visit: the application's allowed hosts, its home page and its sign-in page. When the owner has
 * configured none of these, the caller's request decides: the start URL and the URLs in the prompt.
 */
export function listRunHosts(
  { allowedHosts, homeUrl, signInUrl }: Omit<ApplicationRules, "access">,
  { prompt, startUrl }: RunRequest,
): string[] {
  const owners = [...allowedHosts, ...hostPatternsOf([homeUrl, signInUrl])];
  const hosts = owners.length > 0 ? owners : hostPatternsOf([startUrl, ...listUrls(prompt)]);
  return [...new Set(hosts)];
}

function listUrls(prompt: string): string[] {
  return [...prompt.matchAll(URL_IN_TEXT)].map(([url]) => url.replace(TRAILING_PUNCTUATION, ""));
}
