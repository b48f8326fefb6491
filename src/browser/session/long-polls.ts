import { isWrite } from "./network-record.ts";
import type { OpenRecord } from "./network-recorder.ts";

/** A request that only reads and stays without a response this long probably waits for something to happen. */
const LONG_MS = 3_000;
/** How long later requests to the same address are awaited. What is answered sooner did not wait for anything. */
const GRACE_MS = 1_500;
/** One wait in vain may be for a slow report. */
const MIN_WAITS = 2;

type Polled = Pick<OpenRecord, "method" | "url" | "resourceType" | "respondedMs" | "startedMs" | "status" | "failure">;

/** Waits in vain for an address. */
interface Waits {
  readonly count: number;
  /** When the newest request that was awaited in vain began. */
  readonly startedMs: number;
}

/** The addresses that a page keeps asking for news. Learned when waits for one of them were in vain, one after the other. */
export class LongPolls {
  readonly #waits = new Map<string, Waits>();

  /** Given are the requests that were awaited for as long as the page may take. */
  learn(open: readonly Polled[], nowMs: number): void {
    const silent = open.filter((record) => isSilentRead(record, nowMs, LONG_MS));
    for (const [address, records] of Map.groupBy(silent, addressOf)) {
      const startedMs = Math.max(...records.map((record) => record.startedMs));
      const known = this.#waits.get(address) ?? { count: 0, startedMs: -1 };
      if (startedMs > known.startedMs) this.#waits.set(address, { count: known.count + 1, startedMs });
    }
  }

  /** An address that is answered at once is not asked for news. */
  forgetAnswered(records: readonly Polled[]): void {
    if (this.#waits.size === 0) return;
    for (const record of records) if (isAnsweredSoon(record)) this.#waits.delete(addressOf(record));
  }

  /** Whether the request has been awaited long enough for one to this address. */
  isOne(record: Polled, nowMs: number): boolean {
    const { count } = this.#waits.get(addressOf(record)) ?? { count: 0 };
    return count >= MIN_WAITS && isSilentRead(record, nowMs, GRACE_MS);
  }
}

function isBackgroundRead(record: Polled): boolean {
  return (record.resourceType === "xhr" || record.resourceType === "fetch") && !isWrite(record);
}

function isSilentRead(record: Polled, nowMs: number, forMs: number): boolean {
  return isBackgroundRead(record) && record.respondedMs === null && nowMs - record.startedMs >= forMs;
}

function isAnsweredSoon(record: Polled): boolean {
  return isBackgroundRead(record) && record.respondedMs !== null && record.respondedMs - record.startedMs < GRACE_MS;
}

/** Each request for news may say in its query what is known already. Plain words in it say what is asked for: "?m=report". */
function addressOf({ method, url }: Polled): string {
  const [path = "", query = ""] = (url.split("#")[0] ?? "").split("?");
  const words = query.split("&").filter((part) => /=[a-z]+(?:[-_.][a-z]+)*$/.test(part));
  return [method, path, ...words].join(" ");
}
