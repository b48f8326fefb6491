import { isIP } from "node:net";
import { type HostAndPort, type HostPattern, hostOfUrl, matchesHostPattern } from "../../lib/hosts.ts";
import { addressKind } from "../../lib/network-address.ts";
import { parseHostRule, type RefusalReason, refusalByName } from "../egress/gate.ts";
import { type Mark, PolicyRefusal } from "./browser-session.ts";
import { isAfter, type Timeline } from "./timeline.ts";

/**
 * What a run may open, as far as an address tells. The proxy has the last word, also on what redirects and names lead
 * to; asking here first makes the refusal clear, and keeps what is no web page out.
 */
export interface UrlPolicy {
  allows(url: string): boolean;
  /** PolicyRefusal, with the reason. */
  assertAllowed(url: string): void;
  isAllowedHost(place: HostAndPort): boolean;
}

interface PolicyOptions {
  allowedHosts: readonly string[] | "public";
  privateHosts: readonly string[];
}

export function createUrlPolicy({ allowedHosts, privateHosts }: PolicyOptions): UrlPolicy {
  const allowed = allowedHosts === "public" ? "public" : allowedHosts.map(parseHostRule);
  const opened = privateHosts.map(parseHostRule);

  function findRefusal(url: string): string | null {
    const place = hostOfUrl(url);
    if (place === null) return "Only http and https addresses can be opened.";
    const reason = refusalByName(place, allowed, opened) ?? refusalByIpAddress(place, opened);
    return reason === null ? null : `${place.host}:${place.port} cannot be opened: ${EXPLANATIONS[reason]}.`;
  }

  return {
    allows: (url) => findRefusal(url) === null,
    assertAllowed(url) {
      const refusal = findRefusal(url);
      if (refusal !== null) throw new PolicyRefusal(refusal);
    },
    isAllowedHost: (place) => allowed !== "public" && matchesHostPattern(allowed, place),
  };
}

const EXPLANATIONS: Record<RefusalReason, string> = {
  invalid_target: "it is no host",
  host_not_allowed: "the host is not among those allowed for this run",
  port_not_allowed: "this port of the host is not allowed",
  private_address: "it is at a private address",
};

function refusalByIpAddress(place: HostAndPort, opened: readonly HostPattern[]): RefusalReason | null {
  const isPublic = isIP(place.host) === 0 || addressKind(place.host) === "public";
  return isPublic || matchesHostPattern(opened, place) ? null : "private_address";
}

/** Whether an address belongs to the run's allowed hosts, or to the site of the page that asks for it. */
export function isFirstParty(url: string, pageUrl: string | null, policy: UrlPolicy): boolean {
  const place = hostOfUrl(url.replace(/^ws/, "http"));
  if (place === null) return false;
  if (policy.isAllowedHost(place)) return true;
  const page = pageUrl === null ? null : hostOfUrl(pageUrl);
  // A tab that shows nothing yet is told where to go by the run itself.
  return page === null || areSameSite(place.host, page.host);
}

/** Without a list of public suffixes: one is the other, or lies below it. */
function areSameSite(a: string, b: string): boolean {
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}

const MAX_KEPT = 1_000;

/** Where the proxy did not let the run go. A page can ask for any number of hosts, so the list is bounded. */
export class RefusedHosts {
  readonly #timeline: Timeline;
  readonly #refusals: { at: number; name: string }[] = [];
  readonly #names = new Set<string>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  note(place: HostAndPort): void {
    const name = nameOf(place);
    this.#names.add(name);
    this.#refusals.push({ at: this.#timeline.next(), name });
    if (this.#refusals.length > MAX_KEPT) this.#refusals.shift();
  }

  has(url: string): boolean {
    const place = hostOfUrl(url.replace(/^ws/, "http"));
    return place !== null && this.#names.has(nameOf(place));
  }

  since(mark: Mark): string[] {
    return [...new Set(this.#refusals.filter(({ at }) => isAfter(at, mark)).map(({ name }) => name))];
  }
}

function nameOf({ host, port }: HostAndPort): string {
  return `${host}:${port}`;
}
