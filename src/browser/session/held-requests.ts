import type { NetworkRecord } from "./network-record.ts";
import { isFirstParty, type UrlPolicy } from "./url-policy.ts";
import type { HeldRequest, RequestGate } from "./write-interceptor.ts";

/** Asks the session's gate about each request to the site, and remembers what it stopped until the browser reports that. */
export class HeldRequests {
  readonly #policy: UrlPolicy;
  #gate: RequestGate | null = null;
  /** Stopped, and not reported by the browser so far. */
  readonly #stopped: HeldRequest[] = [];

  constructor(policy: UrlPolicy) {
    this.#policy = policy;
  }

  /** Asks the gate about every request from now on. */
  setGate(gate: RequestGate): void {
    this.#gate = gate;
  }

  decide(request: HeldRequest): "pass" | "stop" {
    const isOwn = isFirstParty(request.url, request.from, this.#policy);
    const decision = isOwn ? (this.#gate?.(request) ?? "pass") : "pass";
    if (decision === "stop") this.#stopped.push(request);
    return decision;
  }

  /** Whether a request that failed was stopped by the gate. Each is found once. */
  take({ method, url, bodyHash }: Pick<NetworkRecord, "method" | "url" | "bodyHash">): boolean {
    const isSame = (each: HeldRequest) => each.method === method && each.url.split("#")[0] === url.split("#")[0];
    const exact = this.#stopped.findIndex((each) => isSame(each) && each.bodyHash === bodyHash);
    const index = exact === -1 ? this.#stopped.findIndex(isSame) : exact;
    if (index !== -1) this.#stopped.splice(index, 1);
    return index !== -1;
  }
}
