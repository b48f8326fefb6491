import { type Answer, HANG, RESET, sendJson } from "./site.ts";

export interface Fault {
  readonly method?: string;
  readonly path: string;
  /** A status, or what happens to the connection. */
  readonly with: number | "reset" | "hang";
}

/** Faults that a test may inject on any site. */
export class Faults {
  /** Every response takes at least this long. */
  latencyMs = 0;
  readonly #pending: Fault[] = [];

  /** The next request for a path fails before it reaches its route. */
  failNext(fault: Fault): void {
    this.#pending.push(fault);
  }

  take(method: string, path: string): Answer | null {
    const index = this.#pending.findIndex((fault) => fault.path === path && (fault.method ?? method) === method);
    const [fault] = index === -1 ? [] : this.#pending.splice(index, 1);
    if (fault === undefined) return null;
    if (fault.with === "hang") return HANG;
    if (fault.with === "reset") return RESET;
    return sendJson({ error: "This was arranged by the test." }, fault.with);
  }
}
