import type { Mark } from "./browser-session.ts";

/** The order of everything that happens in one session. */
export class Timeline {
  #now = 0;

  mark(): Mark {
    return this.#now as Mark;
  }

  /** The place of something that happens now: after every mark that was taken before. */
  next(): number {
    this.#now += 1;
    return this.#now;
  }
}

export function isAfter(at: number, mark: Mark): boolean {
  return at > mark;
}
