import type { Clock } from "../../src/lib/clock.ts";

/** A clock that moves only when told. It starts at the real time, because the database has its own. */
export class TestClock implements Clock {
  #nowMs = Date.now();

  now(): Date {
    return new Date(this.#nowMs);
  }

  advance({ seconds }: { seconds: number }): void {
    this.#nowMs += seconds * 1_000;
  }
}
