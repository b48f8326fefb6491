import type { ApplicationRules } from "../executions/queue.ts";
import { hostPatternsOf } from "../lib/hosts.ts";

interface RunRequest {
  prompt: string;
  startUrl: string | null;
}

// Up to the first thing that ends an address in a sentence; closing marks at its end belong to the sentence.
const URL_IN_TEXT = /https?:\/\/[^\s"'<>`{}|\\^]+/gi;
const TRAILING_PUNCTUATION = /[.,;:!?)\]*_]+$/;

/**
 * The hosts that a run may visit: what the application's owner has allowed, with its home page and its sign-in page. Where
 * the owner has said nothing, the caller's own words decide: the start address and the addresses in the prompt.
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
  return [...prompt.matchAll(URL_IN_TEXT)].map(([address]) => address.replace(TRAILING_PUNCTUATION, ""));
}
