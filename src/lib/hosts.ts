import { isIP, isIPv6 } from "node:net";

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_NAME_LENGTH = 253;

/**
 * The canonical spelling of a host, the one a browser would use: the URL standard turns `0x7f.1` and `2130706433` into
 * `127.0.0.1`, lower-cases names and encodes other scripts. IPv6 has no brackets, a name no trailing dot. Null when the
 * text is not a host.
 */
export function canonicalHost(text: string): string | null {
  const isBracketed = /^\[[0-9a-f:.]+\]$/i.test(text);
  // With these characters the URL parser would find a host elsewhere, as in "good.example@evil.example".
  if (!isBracketed && /[\s/?#@\\:[\]%]/.test(text)) return null;
  const hostname = URL.parse(`http://${text}/`)?.hostname;
  if (hostname === undefined) return null;
  if (isBracketed) return hostname.slice(1, -1);
  if (isIP(hostname) !== 0) return hostname;
  const name = hostname.replace(/\.$/, "");
  return name.length <= MAX_NAME_LENGTH && name.split(".").every((label) => LABEL.test(label)) ? name : null;
}

/**
 * `shop.example` matches that host only; `*.shop.example` matches every name below it but not the host itself. Both match
 * ports 80 and 443; `shop.example:8080` matches that port only. An IP address matches only itself.
 */
export interface HostPattern {
  /** The canonical spelling. */
  text: string;
  matchesHost(host: string): boolean;
  ports: readonly number[];
}

/** A canonical host (IPv6 without brackets) and a port. */
export interface HostAndPort {
  host: string;
  port: number;
}

/** A pattern without a port allows these ports only. */
const WEB_PORTS: readonly number[] = [80, 443];

/** Null when the text is not a pattern. */
export function parseHostPattern(text: string): HostPattern | null {
  const [, wildcard, hostText = "", portText] = /^(\*\.)?(\[[^\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const host = canonicalHost(hostText);
  if (host === null || (wildcard !== undefined && isIP(host) !== 0)) return null;
  const port = portText === undefined ? null : Number(portText);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  return {
    text: `${wildcard ?? ""}${isIPv6(host) ? `[${host}]` : host}${port === null ? "" : `:${port}`}`,
    matchesHost: wildcard === undefined ? (other) => other === host : (other) => other.endsWith(`.${host}`),
    ports: port === null ? WEB_PORTS : [port],
  };
}

export function matchesHostPattern(patterns: readonly HostPattern[], { host, port }: HostAndPort): boolean {
  return patterns.some((pattern) => pattern.ports.includes(port) && pattern.matchesHost(host));
}

export function isWebPort(port: number): boolean {
  return WEB_PORTS.includes(port);
}

/** The host and port of an http or https URL; null for any other URL or text. */
export function hostOfUrl(text: string): HostAndPort | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const host = canonicalHost(url.hostname);
  const port = url.port === "" ? (url.protocol === "http:" ? 80 : 443) : Number(url.port);
  return host === null || port === 0 ? null : { host, port };
}

/** The narrowest pattern that matches: without a port for 80 and 443, else with it. */
function toHostPattern({ host, port }: HostAndPort): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  return isWebPort(port) ? name : `${name}:${port}`;
}

/** Patterns for the hosts of these URLs, each with and without "www.". */
export function hostPatternsOf(urls: readonly (string | null)[]): string[] {
  return urls
    .map((url) => (url === null ? null : hostOfUrl(url)))
    .filter((host) => host !== null)
    .flatMap((host) => [host, ...wwwVariantOf(host)])
    .map(toHostPattern);
}

/** Whether the URL's host matches one of these patterns. */
export function isOnHosts(hosts: readonly string[], url: string): boolean {
  const host = hostOfUrl(url);
  const patterns = hosts.map(parseHostPattern).filter((pattern) => pattern !== null);
  return host !== null && matchesHostPattern(patterns, host);
}

/** Patterns that match what both lists match. */
export function intersectHostPatterns(some: readonly string[], others: readonly string[]): string[] {
  const [left, right] = [some, others].map((list) => list.map(parseHostPattern).filter((pattern) => pattern !== null));
  const both = (left ?? []).flatMap((one) => (right ?? []).flatMap((other) => intersect(one, other)));
  return [...new Set(both)];
}

function intersect(one: HostPattern, other: HostPattern): string[] {
  const names = [one, other].map(({ text }) => text.replace(/(?<!:):\d+$/, ""));
  const [name, otherName] = names as [string, string];
  const narrower = isWithin(name, other) ? name : isWithin(otherName, one) ? otherName : null;
  if (narrower === null) return [];
  const ports = one.ports.filter((port) => other.ports.includes(port));
  return ports.length > 1 ? [narrower] : ports.map((port) => `${narrower}:${port}`);
}

/** Whether the pattern matches every host that `name` stands for: a host, or all names below one. */
function isWithin(name: string, pattern: HostPattern): boolean {
  const isWildcard = name.startsWith("*.");
  const host = name.replace(/^\*\./, "").replace(/^\[|\]$/g, "");
  if (!isWildcard) return pattern.matchesHost(host);
  return pattern.text.startsWith("*.") && (pattern.matchesHost(host) || pattern.matchesHost(`x.${host}`));
}

/** Many sites redirect from shop.example to www.shop.example or back. */
function wwwVariantOf({ host, port }: HostAndPort): HostAndPort[] {
  if (isIP(host) !== 0 || !isWebPort(port) || !host.includes(".")) return [];
  return [{ host: host.startsWith("www.") ? host.slice("www.".length) : `www.${host}`, port }];
}
