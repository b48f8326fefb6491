/** A request that will fail once, without any effect. */
export interface Failure {
  path: string;
  /** Default: any method. */
  method?: "GET" | "POST";
  /** Default: 500. */
  status?: number;
  /** Whether the page falsely claims success. Otherwise it is an error page. */
  claimsSuccess?: boolean;
}

/** Faults that a test has requested. */
export class Faults {
  latencyMs = 0;
  readonly #failures: Failure[] = [];

  failNext(failure: Failure): void {
    this.#failures.push(failure);
  }

  take(method: string, path: string): Failure | null {
    const index = this.#failures.findIndex(
      (failure) => failure.path === path && (failure.method === undefined || failure.method === method),
    );
    return index < 0 ? null : (this.#failures.splice(index, 1)[0] ?? null);
  }
}
