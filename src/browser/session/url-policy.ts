import { isIP } from "node:net";
import { type HostAndPort, type HostPattern, hostOfUrl, matchesHostPattern } from "../../lib/hosts.ts";
import { addressKind } from "../../lib/network-address.ts";
import { parseHostRule, type RefusalReason, refusalByName } from "../egress/gate.ts";
import { type Mark, PolicyRefusal } from "./browser-session.ts";
import { isAfter, type Timeline } from "./timeline.ts";

/**
 * Which URLs the session may open, as far as the URL itself tells. The proxy enforces the rules for redirects and
 * resolved names as well; checking here first gives a clear refusal, and keeps other schemes out.
 */
export interface UrlPolicy {
  allows(url: string): boolean;
  /** Throws PolicyRefusal with the reason. */
  assertAllowed(url: string): void;
  isAllowedHost(target: HostAndPort): boolean;
}

interface PolicyOptions {
  allowedHosts: readonly string[] | "public";
  privateHosts: readonly string[];
}

export function createUrlPolicy({ allowedHosts, privateHosts }: PolicyOptions): UrlPolicy {
  const allowed = allowedHosts === "public" ? "public" : allowedHosts.map(parseHostRule);
  const opened = privateHosts.map(parseHostRule);

  function findRefusal(url: string): string | null {
    const target = hostOfUrl(url);
    if (target === null) return "Only http and https URLs can be opened.";
    const reason = refusalByName(target, allowed, opened) ?? refusalByIpAddress(target, opened);
    return reason === null ? null : `${target.host}:${target.port} cannot be opened: ${EXPLANATIONS[reason]}.`;
  }

  return {
    allows: (url) => findRefusal(url) === null,
    assertAllowed(url) {
      const refusal = findRefusal(url);
      if (refusal !== null) throw new PolicyRefusal(refusal);
    },
    isAllowedHost: (target) => allowed !== "public" && matchesHostPattern(allowed, target),
  };
}

const EXPLANATIONS: Record<RefusalReason, string> = {
  invalid_target: "it is not a valid host",
  host_not_allowed: "the host is not on the list of allowed hosts",
  port_not_allowed: "this port is not on the list of allowed hosts",
  private_address: "it is at a private address",
};

function refusalByIpAddress(target: HostAndPort, opened: readonly HostPattern[]): RefusalReason | null {
  const isPublic = isIP(target.host) === 0 || addressKind(target.host) === "public";
  return isPublic || matchesHostPattern(opened, target) ? null : "private_address";
}

/** Whether a URL belongs to an allowed host, or to the site of the page that requests it. */
export function isFirstParty(url: string, pageUrl: string | null, policy: UrlPolicy): boolean {
  const target = hostOfUrl(url.replace(/^ws/, "http"));
  if (target === null) return false;
  if (policy.isAllowedHost(target)) return true;
  const page = pageUrl === null ? null : hostOfUrl(pageUrl);
  // An empty tab is navigated by the session itself.
  return page === null || areSameSite(target.host, page.host);
}

/** The same host, or one is a subdomain of the other. No public suffix list is used. */
function areSameSite(a: string, b: string): boolean {
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}

const MAX_KEPT = 1_000;

/** Hosts that the proxy refused. Bounded, because a page can request any number of hosts. */
export class RefusedHosts {
  readonly #timeline: Timeline;
  readonly #refusals: { at: number; name: string }[] = [];
  readonly #names = new Set<string>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  add(target: HostAndPort): void {
    const name = nameOf(target);
    this.#names.add(name);
    this.#refusals.push({ at: this.#timeline.next(), name });
    if (this.#refusals.length > MAX_KEPT) this.#refusals.shift();
  }

  has(url: string): boolean {
    const target = hostOfUrl(url.replace(/^ws/, "http"));
    return target !== null && this.#names.has(nameOf(target));
  }

  since(mark: Mark): string[] {
    return [...new Set(this.#refusals.filter(({ at }) => isAfter(at, mark)).map(({ name }) => name))];
  }
}

function nameOf({ host, port }: HostAndPort): string {
  return `${host}:${port}`;
}
