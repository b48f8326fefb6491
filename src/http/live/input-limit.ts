import type { ViewerMessage } from "../../contract/live-view.ts";
import type { Clock } from "../../lib/clock.ts";
import { TokenBuckets } from "../../lib/token-bucket.ts";

/**
 * A page of ours sends at most one movement per picture of the person's screen, so 240 a second from the fastest, and
 * hardly anything else. Beyond the first limit, movements are left out; beyond the second, it is not a page of ours.
 */
const MOVEMENTS = { perMinute: 600 * 60, burst: 1_200 };
const EVERYTHING = { perMinute: 2_000 * 60, burst: 6_000 };
const BYTES_PER_TOKEN = 1_024;

export interface InputLimit {
  /** Long messages count as several. */
  mayReceive(bytes: number): boolean;
  mayPassOn(message: ViewerMessage): boolean;
}

/** For one socket. */
export function createInputLimit(clock: Clock): InputLimit {
  const everything = new TokenBuckets(EVERYTHING, clock);
  const movements = new TokenBuckets(MOVEMENTS, clock);
  return {
    mayReceive(bytes) {
      for (let counted = 0; counted <= bytes; counted += BYTES_PER_TOKEN) {
        if (everything.take("") > 0) return false;
      }
      return true;
    },
    // The bucket is drawn from by every message, so that movements leave room for what matters more.
    mayPassOn: (message) => movements.take("") === 0 || !isMovement(message),
  };
}

function isMovement(message: ViewerMessage): boolean {
  if (message.type !== "input") return false;
  const { input } = message;
  return input.type === "wheel" || ((input.type === "pointer" || input.type === "touch") && input.kind === "move");
}
