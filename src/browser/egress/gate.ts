import { type HostPattern, isWebPort, matchesHostPattern } from "../../lib/host-pattern.ts";
import type { PinnedNames } from "../../lib/pinned-names.ts";
import { areReachable } from "../../lib/reachable.ts";
import type { Destination } from "./destination.ts";
import { parseHostRule } from "./host-rule.ts";

export type RefusalReason = "invalid_target" | "host_not_allowed" | "port_not_allowed" | "private_address";

type Verdict =
  /** `addresses` are all checked: whoever connects uses one of them and asks nobody again. */
  { allowed: true; addresses: string[] } | { allowed: false; reason: RefusalReason };

interface GateOptions {
  allowedHosts: readonly string[] | "public";
  privateHosts: readonly string[];
  names: PinnedNames;
}

export interface Gate {
  /** Rejects when the name cannot be resolved. */
  judge(destination: Destination, signal: AbortSignal): Promise<Verdict>;
}

export function createGate({ allowedHosts, privateHosts, names }: GateOptions): Gate {
  const allowed = allowedHosts === "public" ? "public" : allowedHosts.map(parseHostRule);
  const opened = privateHosts.map(parseHostRule);
  return {
    async judge(destination, signal) {
      // Before the lookup: a name that may not be visited may not carry data to a name server either.
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

/** What can be said before the name is looked up. */
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
