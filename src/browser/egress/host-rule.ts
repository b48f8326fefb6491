import { isIP } from "node:net";
import { canonicalHost } from "./canonical-host.ts";
import type { Destination } from "./destination.ts";

/** What a rule without a port means: the web, and nothing else that happens to listen there. */
const WEB_PORTS: readonly number[] = [80, 443];

/**
 * `shop.example` is this host alone, `*.shop.example` every name below it and not itself, each on 80 and 443;
 * `shop.example:8080` is this port alone. An address only ever matches itself.
 */
export interface HostRule {
  matchesHost(host: string): boolean;
  ports: readonly number[];
}

export function parseHostRule(text: string): HostRule {
  const [, wildcard, hostText = "", portText] = /^(\*\.)?(\[[^\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const host = canonicalHost(hostText);
  const port = portText === undefined ? null : Number(portText);
  const isWildcardAddress = wildcard !== undefined && host !== null && isIP(host) !== 0;
  if (host === null || isWildcardAddress || (port !== null && (port < 1 || port > 65_535))) {
    throw new Error(`"${text}" is not a host: write shop.example, *.shop.example or 127.0.0.1:4010.`);
  }
  return {
    matchesHost: wildcard === undefined ? (asked) => asked === host : (asked) => asked.endsWith(`.${host}`),
    ports: port === null ? WEB_PORTS : [port],
  };
}

export function matchesAny(rules: readonly HostRule[], { host, port }: Destination): boolean {
  return rules.some((rule) => rule.ports.includes(port) && rule.matchesHost(host));
}

export function isWebPort(port: number): boolean {
  return WEB_PORTS.includes(port);
}
