import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import type { Clock } from "./clock.ts";
import { abortable } from "./waiting.ts";

/** All addresses of a name. It may give up when the signal does; nobody waits for it beyond that. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<string[]>;

const PIN_MS = 60_000;
const MAX_PINS = 1_000;

interface Pin {
  addresses: Promise<string[]>;
  sinceMs: number;
}

/**
 * Answers of the resolver, each asked for once and then kept: whoever checks an address and whoever connects to it see
 * the same answer, so a name that changes its mind in between (DNS rebinding) has nothing to gain.
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
    // One from the future is of a clock that was put back since: it would hold for hours.
    const ageMs = known === undefined ? -1 : nowMs - known.sinceMs;
    if (known !== undefined && ageMs >= 0 && ageMs < PIN_MS) return known.addresses;
    if (this.#pins.size >= MAX_PINS) this.#pins.clear();
    const addresses = abortable(this.#resolve(host, signal), signal);
    this.#pins.set(host, { addresses, sinceMs: nowMs });
    addresses.catch(() => this.#pins.delete(host));
    return addresses;
  }
}

/** The machine's own resolver, hosts file included. */
export async function resolveWithSystem(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
}

/** Node tries several addresses in turn only if they come from a lookup: this one has its answer already. */
export function createFixedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_name, options, callback) => {
    const [first] = answers;
    if (first === undefined) callback(Object.assign(new Error("No address."), { code: "ENOTFOUND" }), "", 0);
    else if (options.all === true) callback(null, answers);
    else callback(null, first.address, first.family);
  };
}
