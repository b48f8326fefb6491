/** Calls once after a quiet moment, and not later than so long after the first request. */
export class Debounce {
  readonly #work: () => void;
  readonly #quietMs: number;
  readonly #maxMs: number;
  #timer: NodeJS.Timeout | undefined;
  #firstMs: number | null = null;

  constructor(work: () => void, { quietMs, maxMs }: { quietMs: number; maxMs: number }) {
    this.#work = work;
    this.#quietMs = quietMs;
    this.#maxMs = maxMs;
  }

  request(): void {
    const nowMs = performance.now();
    this.#firstMs ??= nowMs;
    clearTimeout(this.#timer);
    const leftMs = this.#firstMs + this.#maxMs - nowMs;
    this.#timer = setTimeout(() => this.#run(), Math.max(0, Math.min(this.#quietMs, leftMs)));
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#firstMs = null;
  }

  #run(): void {
    this.#firstMs = null;
    this.#work();
  }
}
