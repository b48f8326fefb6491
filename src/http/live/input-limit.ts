import type { LiveInput, ViewerMessage } from "../../contract/live-view.ts";
import type { Clock } from "../../lib/clock.ts";
import { TokenBuckets } from "../../lib/token-bucket.ts";

/**
 * A page of ours sends at most one movement per picture of the person's screen, so 240 a second from the fastest, and
 * hardly anything else. Beyond the first limit, movements are left out; beyond the second, it is not a page of ours.
 */
const MOVEMENTS = { perMinute: 600 * 60, burst: 1_200 };
const EVERYTHING = { perMinute: 2_000 * 60, burst: 6_000 };
/** What makes the browser itself work, such as another size. Beyond the first it is left out, beyond the second refused. */
const CONTROLS = { perMinute: 20 * 60, burst: 40 };
const CONTROL_FLOOD = { perMinute: 100 * 60, burst: 400 };
const BYTES_PER_TOKEN = 1_024;
const IN_PAGE: ReadonlySet<LiveInput["type"]> = new Set(["pointer", "wheel", "touch", "key", "text"]);

export interface InputLimit {
  /** Long messages count as several. */
  mayReceive(bytes: number): boolean;
  judge(message: ViewerMessage): "pass_on" | "leave_out" | "refuse";
}

/** For one socket. */
export function createInputLimit(clock: Clock): InputLimit {
  const everything = new TokenBuckets(EVERYTHING, clock);
  const movements = new TokenBuckets(MOVEMENTS, clock);
  const controls = new TokenBuckets(CONTROLS, clock);
  const controlFlood = new TokenBuckets(CONTROL_FLOOD, clock);
  return {
    mayReceive(bytes) {
      for (let counted = 0; counted <= bytes; counted += BYTES_PER_TOKEN) {
        if (everything.take("") > 0) return false;
      }
      return true;
    },
    judge(message) {
      if (isControl(message)) {
        if (controlFlood.take("") > 0) return "refuse";
        if (controls.take("") > 0) return "leave_out";
      }
      // Drawn from by every message, so that movements leave room for what matters more.
      return movements.take("") > 0 && isMovement(message) ? "leave_out" : "pass_on";
    },
  };
}

/** Neither what a person does in the page nor the word that a picture was drawn, of which many are to be expected. */
function isControl(message: ViewerMessage): boolean {
  return message.type === "input" ? !IN_PAGE.has(message.input.type) : message.type !== "drawn";
}

function isMovement(message: ViewerMessage): boolean {
  if (message.type !== "input") return false;
  const { input } = message;
  return input.type === "wheel" || ((input.type === "pointer" || input.type === "touch") && input.kind === "move");
}
