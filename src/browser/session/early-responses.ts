import type { NetworkRecord } from "./network-record.ts";
import type { InterceptedWrite, WriteOutcome } from "./write-interceptor.ts";

/** Longer than the page takes to report a request, however busy the machine is. */
const KEPT_MS = 10_000;

interface EarlyResponse {
  readonly write: InterceptedWrite;
  readonly outcome: WriteOutcome;
  readonly atMs: number;
}

/** Responses to writes that the page has not reported yet. */
export class EarlyResponses {
  #kept: EarlyResponse[] = [];

  keep(write: InterceptedWrite, outcome: WriteOutcome): void {
    this.#kept.push({ write, outcome, atMs: performance.now() });
  }

  /** The one to this write: with the same body, where bodies can be compared. Null if there is none. */
  take(record: Pick<NetworkRecord, "method" | "url" | "bodyHash">): WriteOutcome | null {
    const oldestMs = performance.now() - KEPT_MS;
    this.#kept = this.#kept.filter(({ atMs }) => atMs > oldestMs);
    const alike = this.#kept.filter(({ write }) => isSameUrl(record, write));
    const taken =
      alike.find(({ write }) => write.bodyHash === record.bodyHash) ??
      alike.find(({ write }) => write.bodyHash === null || record.bodyHash === null);
    this.#kept = this.#kept.filter((each) => each !== taken);
    return taken?.outcome ?? null;
  }
}

export function isSameUrl(
  record: Pick<NetworkRecord, "method" | "url">,
  { method, url }: Pick<InterceptedWrite, "method" | "url">,
): boolean {
  return record.method === method && record.url.split("#")[0] === url;
}
