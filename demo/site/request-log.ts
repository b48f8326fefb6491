export interface ReceivedRequest {
  method: string;
  /** Without the query. */
  path: string;
  status: number;
}

const KEPT = 10_000;

/** The latest requests, oldest first. */
export class RequestLog {
  readonly #requests: ReceivedRequest[] = [];

  add(request: ReceivedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length > KEPT) this.#requests.shift();
  }

  all(): readonly ReceivedRequest[] {
    return this.#requests;
  }
}
