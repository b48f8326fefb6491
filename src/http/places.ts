import { CallerError } from "../lib/caller-error.ts";
import { OverloadedError } from "../lib/overloaded-error.ts";

/** Room for answers that stay open: so many for one caller, and so many in this process. */
export interface Places {
  /** Throws when there is none left. */
  take(caller: string): Disposable;
}

interface PlacesOptions {
  /** What they are for, in the plural. */
  name: string;
  perCaller: number;
  total: number;
}

const RETRY_AFTER_SECONDS = 5;

export function createPlaces({ name, perCaller, total }: PlacesOptions): Places {
  const taken = new Map<string, number>();
  let sum = 0;

  function leave(caller: string): void {
    sum -= 1;
    const left = (taken.get(caller) ?? 0) - 1;
    if (left > 0) taken.set(caller, left);
    else taken.delete(caller);
  }

  return {
    take(caller) {
      const own = taken.get(caller) ?? 0;
      if (own >= perCaller) {
        throw new CallerError(
          "RATE_LIMITED",
          `You have ${own} ${name} open, and more are not possible. Close one first.`,
          {
            retryAfterSeconds: RETRY_AFTER_SECONDS,
          },
        );
      }
      if (sum >= total) throw new OverloadedError(name);
      taken.set(caller, own + 1);
      sum += 1;
      let isLeft = false;
      return {
        [Symbol.dispose]() {
          if (!isLeft) leave(caller);
          isLeft = true;
        },
      };
    },
  };
}
