import { isWrite } from "./network-record.ts";
import type { OpenRecord } from "./network-recorder.ts";

/** A request that only reads and stays without a response this long probably waits for something to happen. */
const LONG_MS = 3_000;
/** How long later requests to the same address are awaited. */
const GRACE_MS = 1_500;

type Polled = Pick<OpenRecord, "method" | "url" | "resourceType" | "respondedMs" | "startedMs" | "status" | "failure">;

/** The addresses that a page keeps asking for news. Learned when a wait for one of them was in vain. */
export class LongPolls {
  readonly #known = new Set<string>();

  /** Given are the requests that were awaited for as long as the page may take. */
  learn(open: readonly Polled[], nowMs: number): void {
    for (const record of open) if (isSilentRead(record, nowMs, LONG_MS)) this.#known.add(addressOf(record));
  }

  /** Whether the request has been awaited long enough for one to this address. */
  isOne(record: Polled, nowMs: number): boolean {
    return this.#known.has(addressOf(record)) && isSilentRead(record, nowMs, GRACE_MS);
  }
}

function isSilentRead(record: Polled, nowMs: number, forMs: number): boolean {
  const isBackground = record.resourceType === "xhr" || record.resourceType === "fetch";
  return isBackground && !isWrite(record) && record.respondedMs === null && nowMs - record.startedMs >= forMs;
}

/** Each request for news may say in its query what is known already. */
function addressOf({ method, url }: Polled): string {
  return `${method} ${url.split(/[?#]/)[0]}`;
}
