import { isIP } from "node:net";
import {
  type HostAndPort,
  hostOfAddress,
  isWebPort,
  matchesHostPattern,
  parseHostPattern,
  toHostPattern,
} from "../lib/host-pattern.ts";
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

export function isWithin(hosts: readonly string[], address: string): boolean {
  const place = hostOfAddress(address);
  const patterns = hosts.map(parseHostPattern).filter((pattern) => pattern !== null);
  return place !== null && matchesHostPattern(patterns, place);
}

function listAddresses(prompt: string): string[] {
  return [...prompt.matchAll(ADDRESS)].map(([address]) => address.replace(CLOSING, ""));
}

function hostsOf(addresses: (string | null)[]): string[] {
  return addresses
    .map((address) => (address === null ? null : hostOfAddress(address)))
    .filter((place) => place !== null)
    .flatMap((place) => [place, ...twinOf(place)])
    .map(toHostPattern);
}

/** Many sites send everybody from one of shop.example and www.shop.example to the other. */
function twinOf({ host, port }: HostAndPort): HostAndPort[] {
  if (isIP(host) !== 0 || !isWebPort(port) || !host.includes(".")) return [];
  return [{ host: host.startsWith("www.") ? host.slice("www.".length) : `www.${host}`, port }];
}
