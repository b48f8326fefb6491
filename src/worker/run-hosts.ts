import { hostsOf } from "../lib/site-hosts.ts";
import type { ApplicationRules } from "../queue/queue-store.ts";

interface RunAddresses {
  prompt: string;
  startUrl: string | null;
}

// Up to the first thing that ends an address in a sentence; closing marks at its end belong to the sentence.
const ADDRESS = /https?:\/\/[^\s"'<>`{}|\\^]+/gi;
const CLOSING = /[.,;:!?)\]*_]+$/;

/**
 * The hosts that a run may visit: what the application's owner has allowed, with its home page and its sign-in page. Where
 * the owner has said nothing, the caller's own words decide: the start address and the addresses in the prompt.
 */
export function listRunHosts(
  { allowedHosts, homeUrl, signInUrl }: Omit<ApplicationRules, "access">,
  { prompt, startUrl }: RunAddresses,
): string[] {
  const owners = [...allowedHosts, ...hostsOf([homeUrl, signInUrl])];
  const hosts = owners.length > 0 ? owners : hostsOf([startUrl, ...listAddresses(prompt)]);
  return [...new Set(hosts)];
}

function listAddresses(prompt: string): string[] {
  return [...prompt.matchAll(ADDRESS)].map(([address]) => address.replace(CLOSING, ""));
}
