import { isIP } from "node:net";
import {
  type HostAndPort,
  hostOfAddress,
  isWebPort,
  matchesHostPattern,
  parseHostPattern,
  toHostPattern,
} from "./host-pattern.ts";

/** The hosts of these addresses as patterns, with and without "www.". */
export function hostsOf(addresses: readonly (string | null)[]): string[] {
  return addresses
    .map((address) => (address === null ? null : hostOfAddress(address)))
    .filter((place) => place !== null)
    .flatMap((place) => [place, ...twinOf(place)])
    .map(toHostPattern);
}

export function isWithin(hosts: readonly string[], address: string): boolean {
  const place = hostOfAddress(address);
  const patterns = hosts.map(parseHostPattern).filter((pattern) => pattern !== null);
  return place !== null && matchesHostPattern(patterns, place);
}

/** Many sites send everybody from one of shop.example and www.shop.example to the other. */
function twinOf({ host, port }: HostAndPort): HostAndPort[] {
  if (isIP(host) !== 0 || !isWebPort(port) || !host.includes(".")) return [];
  return [{ host: host.startsWith("www.") ? host.slice("www.".length) : `www.${host}`, port }];
}
