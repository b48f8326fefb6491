import { inTime } from "../../../lib/in-time.ts";
import type { PageInput } from "../live-input.ts";

const MAX_WAITING = 500;
/** A page may be busy for a while without losing what is typed; one that stands still for longer loses it. */
const PATIENCE_MS = 10_000;

/** Hands what a person does to the page, one after the other. */
export class InputQueue {
  readonly #dispatch: (input: PageInput) => Promise<void>;
  readonly #waiting: PageInput[] = [];
  #isBusy = false;
  #interruption = Promise.withResolvers<void>();

  /** What fails was meant for a page that has gone. */
  constructor(dispatch: (input: PageInput) => Promise<void>) {
    this.#dispatch = dispatch;
  }

  push(input: PageInput): void {
    const last = this.#waiting.at(-1);
    const merged = last === undefined ? null : merge(last, input);
    if (merged !== null) this.#waiting[this.#waiting.length - 1] = merged;
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(input);
    if (!this.#isBusy) void this.#work();
  }

  /** What waits is dropped, and what is under way is not waited for: it was meant for what was shown before. */
  interrupt(): void {
    this.#waiting.length = 0;
    this.#interruption.resolve();
    this.#interruption = Promise.withResolvers<void>();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (let input = this.#waiting.shift(); input !== undefined; input = this.#waiting.shift()) {
      const taken = this.#dispatch(input).then(
        () => true,
        () => true,
      );
      const isTaken = await inTime(Promise.race([taken, this.#interruption.promise.then(() => true)]), PATIENCE_MS);
      if (isTaken === null) this.#waiting.length = 0;
    }
    this.#isBusy = false;
  }
}

/** A move that nobody has seen yet is overtaken by the next; turns of the wheel add up. */
function merge(last: PageInput, next: PageInput): PageInput | null {
  if (last.type === "pointer" && next.type === "pointer") {
    return last.kind === "move" && next.kind === "move" && last.buttons === next.buttons ? next : null;
  }
  if (last.type === "wheel" && next.type === "wheel" && last.modifiers === next.modifiers) {
    return { ...next, dx: last.dx + next.dx, dy: last.dy + next.dy };
  }
  const areMoves = last.type === "touch" && next.type === "touch" && last.kind === "move" && next.kind === "move";
  return areMoves && last.points.length === next.points.length ? next : null;
}
