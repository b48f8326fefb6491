import type { IncomingMessage } from "node:http";

export interface RecordedRequest {
  readonly site: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  body: string;
  /** Null: never answered. */
  status: number | null;
}

/** Every request to any of the sites, in the order in which they arrived. */
export class RequestLog {
  readonly all: RecordedRequest[] = [];
  readonly #bySite = new Map<string, RecordedRequest[]>();

  add(site: string, request: IncomingMessage): RecordedRequest {
    const { method = "GET", url = "/" } = request;
    const recorded: RecordedRequest = { site, method, path: url, body: "", status: null };
    this.all.push(recorded);
    this.of(site).push(recorded);
    return recorded;
  }

  /** A list that grows. */
  of(site: string): RecordedRequest[] {
    const list = this.#bySite.get(site) ?? [];
    this.#bySite.set(site, list);
    return list;
  }
}
