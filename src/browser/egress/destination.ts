import { isIPv6 } from "node:net";
import { canonicalHost } from "../../lib/canonical-host.ts";

/** Where a client of the proxy wants to go. */
export interface Destination {
  /** In its one spelling; IPv6 without brackets. */
  host: string;
  port: number;
}

/** An absolute-form request (RFC 9112, 3.2.2): only `http:`, because everything else has to ask for a tunnel. */
export interface AbsoluteTarget extends Destination {
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

/** As a Host header has it. */
export function formatAuthority({ host, port }: Destination): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  return port === 80 ? name : `${name}:${port}`;
}
