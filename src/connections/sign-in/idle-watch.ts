interface IdleLimits {
  readonly idleMs: number;
  readonly idleWarningMs: number;
}

interface IdleCalls {
  /** So many seconds are left; null: somebody is there after all. */
  warn(endsInSeconds: number | null): void;
  end(): void;
}

/** Notices that nobody has done anything for a while, and says so before it acts on it. */
export class IdleWatch {
  readonly #limits: IdleLimits;
  readonly #calls: IdleCalls;
  #timer: NodeJS.Timeout;
  #hasWarned = false;

  constructor(limits: IdleLimits, calls: IdleCalls) {
    this.#limits = limits;
    this.#calls = calls;
    this.#timer = this.#untilWarning();
  }

  touch(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#untilWarning();
    if (this.#hasWarned) this.#calls.warn(null);
    this.#hasWarned = false;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #untilWarning(): NodeJS.Timeout {
    const { idleMs, idleWarningMs } = this.#limits;
    return setTimeout(() => this.#warn(), Math.max(0, idleMs - idleWarningMs));
  }

  #warn(): void {
    const { idleWarningMs } = this.#limits;
    this.#hasWarned = true;
    this.#timer = setTimeout(() => this.#calls.end(), idleWarningMs);
    this.#calls.warn(Math.round(idleWarningMs / 1_000));
  }
}
