import { isIP } from "node:net";
import { addressKind } from "../../lib/address-kind.ts";
import { type HostAndPort, type HostPattern, hostOfAddress, matchesHostPattern } from "../../lib/host-pattern.ts";
import { type RefusalReason, refusalByName } from "../egress/gate.ts";
import { parseHostRule } from "../egress/host-rule.ts";
import { PolicyRefusal } from "./browser-session.ts";

/**
 * What a run may open, as far as an address tells. The proxy has the last word, also on what redirects and names lead
 * to; asking here first makes the refusal clear, and keeps what is no web page out.
 */
export interface AddressPolicy {
  allows(url: string): boolean;
  /** PolicyRefusal, with the reason. */
  assertAllowed(url: string): void;
  isAllowedHost(place: HostAndPort): boolean;
}

interface PolicyOptions {
  allowedHosts: readonly string[] | "public";
  privateHosts: readonly string[];
}

export function createAddressPolicy({ allowedHosts, privateHosts }: PolicyOptions): AddressPolicy {
  const allowed = allowedHosts === "public" ? "public" : allowedHosts.map(parseHostRule);
  const opened = privateHosts.map(parseHostRule);

  function findRefusal(url: string): string | null {
    const place = hostOfAddress(url);
    if (place === null) return "Only http and https addresses can be opened.";
    const reason = refusalByName(place, allowed, opened) ?? refusalByAddress(place, opened);
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

function refusalByAddress(place: HostAndPort, opened: readonly HostPattern[]): RefusalReason | null {
  const isPublic = isIP(place.host) === 0 || addressKind(place.host) === "public";
  return isPublic || matchesHostPattern(opened, place) ? null : "private_address";
}
