import { isIP, isIPv6 } from "node:net";

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_NAME_LENGTH = 253;

/**
 * One spelling for each host, the one the browser itself would arrive at: the URL standard turns `0x7f.1` and
 * `2130706433` into `127.0.0.1`, lowers case and encodes other scripts. IPv6 comes without brackets, a name without its
 * last dot. Null when the text is no host.
 */
export function canonicalHost(text: string): string | null {
  const isBracketed = /^\[[0-9a-f:.]+\]$/i.test(text);
  // The URL parser would take these apart and find a host in "good.example@evil.example".
  if (!isBracketed && /[\s/?#@\\:[\]%]/.test(text)) return null;
  const hostname = URL.parse(`http://${text}/`)?.hostname;
  if (hostname === undefined) return null;
  if (isBracketed) return hostname.slice(1, -1);
  if (isIP(hostname) !== 0) return hostname;
  const name = hostname.replace(/\.$/, "");
  return name.length <= MAX_NAME_LENGTH && name.split(".").every((label) => LABEL.test(label)) ? name : null;
}

/**
 * `shop.example` is this host alone, `*.shop.example` every name below it and not itself, each on 80 and 443;
 * `shop.example:8080` is this port alone. An address only ever matches itself.
 */
export interface HostPattern {
  /** In its one spelling. */
  text: string;
  matchesHost(host: string): boolean;
  ports: readonly number[];
}

/** A host in its one spelling (IPv6 without brackets), and a port. */
export interface HostAndPort {
  host: string;
  port: number;
}

/** What a pattern without a port means: the web, and nothing else that happens to listen there. */
const WEB_PORTS: readonly number[] = [80, 443];

/** Null when the text is no pattern. */
export function parseHostPattern(text: string): HostPattern | null {
  const [, wildcard, hostText = "", portText] = /^(\*\.)?(\[[^\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const host = canonicalHost(hostText);
  if (host === null || (wildcard !== undefined && isIP(host) !== 0)) return null;
  const port = portText === undefined ? null : Number(portText);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  return {
    text: `${wildcard ?? ""}${isIPv6(host) ? `[${host}]` : host}${port === null ? "" : `:${port}`}`,
    matchesHost: wildcard === undefined ? (asked) => asked === host : (asked) => asked.endsWith(`.${host}`),
    ports: port === null ? WEB_PORTS : [port],
  };
}

export function matchesHostPattern(patterns: readonly HostPattern[], { host, port }: HostAndPort): boolean {
  return patterns.some((pattern) => pattern.ports.includes(port) && pattern.matchesHost(host));
}

export function isWebPort(port: number): boolean {
  return WEB_PORTS.includes(port);
}

/** Where an http or https address leads; null when it is none, or has no host that could be looked up. */
export function hostOfUrl(address: string): HostAndPort | null {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const host = canonicalHost(url.hostname);
  const port = url.port === "" ? (url.protocol === "http:" ? 80 : 443) : Number(url.port);
  return host === null || port === 0 ? null : { host, port };
}

/** The pattern that allows this place: on a port of the web the whole web there, else this port alone. */
function toHostPattern({ host, port }: HostAndPort): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  return isWebPort(port) ? name : `${name}:${port}`;
}

/** The hosts of these addresses as patterns, with and without "www.". */
export function hostPatternsOf(addresses: readonly (string | null)[]): string[] {
  return addresses
    .map((address) => (address === null ? null : hostOfUrl(address)))
    .filter((place) => place !== null)
    .flatMap((place) => [place, ...wwwVariantOf(place)])
    .map(toHostPattern);
}

export function isOnHosts(hosts: readonly string[], address: string): boolean {
  const place = hostOfUrl(address);
  const patterns = hosts.map(parseHostPattern).filter((pattern) => pattern !== null);
  return place !== null && matchesHostPattern(patterns, place);
}

/** Many sites send everybody from one of shop.example and www.shop.example to the other. */
function wwwVariantOf({ host, port }: HostAndPort): HostAndPort[] {
  if (isIP(host) !== 0 || !isWebPort(port) || !host.includes(".")) return [];
  return [{ host: host.startsWith("www.") ? host.slice("www.".length) : `www.${host}`, port }];
}
