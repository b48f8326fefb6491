import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import type { Clock } from "./clock.ts";
import { abortable } from "./waiting.ts";

/** Resolves a name to all its addresses. It may stop when the signal aborts; callers no longer wait for it then. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<string[]>;

const PIN_MS = 60_000;
const MAX_PINS = 1_000;

interface Pin {
  addresses: Promise<string[]>;
  sinceMs: number;
}

/**
 * Keeps each resolver result for a while, so that the check of an address and the connection to it use the same result.
 * A name that changes in between (DNS rebinding) gains nothing.
 */
export class PinnedResolver {
  readonly #resolve: Resolve;
  readonly #clock: Clock;
  readonly #pins = new Map<string, Pin>();

  constructor(resolve: Resolve, clock: Clock) {
    this.#resolve = resolve;
    this.#clock = clock;
  }

  addressesOf(host: string, signal: AbortSignal): Promise<string[]> {
    if (isIP(host) !== 0) return Promise.resolve([host]);
    // RFC 6761, 6.3: these names never go to a resolver.
    if (host === "localhost" || host.endsWith(".localhost")) return Promise.resolve(["127.0.0.1", "::1"]);
    const nowMs = this.#clock.now().getTime();
    const known = this.#pins.get(host);
    // An entry from the future means that the clock was set back; it would stay valid for hours.
    const ageMs = known === undefined ? -1 : nowMs - known.sinceMs;
    if (known !== undefined && ageMs >= 0 && ageMs < PIN_MS) return known.addresses;
    if (this.#pins.size >= MAX_PINS) this.#pins.clear();
    const addresses = abortable(this.#resolve(host, signal), signal);
    this.#pins.set(host, { addresses, sinceMs: nowMs });
    addresses.catch(() => this.#pins.delete(host));
    return addresses;
  }
}

/** Uses the system resolver, including the hosts file. */
export async function resolveWithSystem(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
}

/** A lookup with a known result: Node tries several addresses in turn only if they come from a lookup. */
export function createFixedLookup(addresses: readonly string[]): LookupFunction {
  const results = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_name, options, callback) => {
    const [first] = results;
    if (first === undefined) callback(Object.assign(new Error("No address"), { code: "ENOTFOUND" }), "", 0);
    else if (options.all === true) callback(null, results);
    else callback(null, first.address, first.family);
  };
}
