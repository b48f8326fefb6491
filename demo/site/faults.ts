/** A request that is going to fail, once. Nothing of what it asks for is done. */
export interface Failure {
  path: string;
  /** Any method when left out. */
  method?: "GET" | "POST";
  /** 500 when left out. */
  status?: number;
  /** The page claims that all went well, although it did not. Otherwise it is an honest error page. */
  claimsSuccess?: boolean;
}

/** What a test has arranged to go wrong. */
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
