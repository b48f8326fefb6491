import { isIPv6 } from "node:net";
import { canonicalHost, type HostPattern, isWebPort, matchesHostPattern, parseHostPattern } from "../../lib/hosts.ts";
import type { PinnedResolver } from "../../lib/name-resolution.ts";
import { areReachable } from "../../lib/network-address.ts";

export type RefusalReason = "invalid_target" | "host_not_allowed" | "port_not_allowed" | "private_address";

type Verdict =
  /** All `addresses` have been checked. Connect to one of them; never resolve the name again. */
  { allowed: true; addresses: string[] } | { allowed: false; reason: RefusalReason };

interface GateOptions {
  allowedHosts: readonly string[] | "public";
  privateHosts: readonly string[];
  names: PinnedResolver;
}

/** Decides which destinations the browser may reach. */
interface Gate {
  /** Rejects when the name cannot be resolved. */
  check(destination: Destination, signal: AbortSignal): Promise<Verdict>;
}

export function createGate({ allowedHosts, privateHosts, names }: GateOptions): Gate {
  const allowed = allowedHosts === "public" ? "public" : allowedHosts.map(parseHostRule);
  const opened = privateHosts.map(parseHostRule);
  return {
    async check(destination, signal) {
      // Before the lookup: a refused name must not carry data to a name server either.
      const reason = refusalByName(destination, allowed, opened);
      if (reason !== null) return { allowed: false, reason };
      const addresses = await names.addressesOf(destination.host, signal);
      const isOpened = matchesHostPattern(opened, destination);
      return areReachable(destination.host, addresses, isOpened)
        ? { allowed: true, addresses }
        : { allowed: false, reason: "private_address" };
    },
  };
}

/** The refusal that is known before the name is resolved, if any. */
export function refusalByName(
  destination: Destination,
  allowed: readonly HostPattern[] | "public",
  opened: readonly HostPattern[],
): RefusalReason | null {
  if (allowed === "public") {
    return isWebPort(destination.port) || matchesHostPattern(opened, destination) ? null : "port_not_allowed";
  }
  if (matchesHostPattern(allowed, destination)) return null;
  return allowed.some((rule) => rule.matchesHost(destination.host)) ? "port_not_allowed" : "host_not_allowed";
}

/** The host and port that a client of the proxy requests. */
export interface Destination {
  /** Canonical (see `canonicalHost`); IPv6 without brackets. */
  host: string;
  port: number;
}

/** An absolute-form request target (RFC 9112, 3.2.2): only `http:`, because everything else needs a tunnel. */
interface AbsoluteTarget extends Destination {
  path: string;
}

/** The target of CONNECT, `host:port`; the port has no default (RFC 9110, 9.3.6). */
export function parseAuthority(authority: string): Destination | null {
  const [, hostText, portText] = /^(.+):(\d{1,5})$/.exec(authority) ?? [];
  if (hostText === undefined) return null;
  const host = canonicalHost(hostText);
  const port = Number(portText);
  return host !== null && port >= 1 && port <= 65_535 ? { host, port } : null;
}

export function parseAbsoluteTarget(target: string): AbsoluteTarget | null {
  const url = URL.parse(target);
  if (url === null || url.protocol !== "http:") return null;
  const destination = parseAuthority(`${url.hostname}:${url.port === "" ? 80 : url.port}`);
  return destination === null ? null : { ...destination, path: `${url.pathname}${url.search}` };
}

/** The value of the Host header. */
export function formatAuthority({ host, port }: Destination): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  return port === 80 ? name : `${name}:${port}`;
}

export function parseHostRule(text: string): HostPattern {
  const pattern = parseHostPattern(text);
  if (pattern === null) {
    throw new Error(`"${text}" is not a host: write shop.example, *.shop.example or 127.0.0.1:4010.`);
  }
  return pattern;
}
