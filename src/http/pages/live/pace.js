// @ts-check

const SLOW_MS = 2_000;
const STUCK_MS = 15_000;

/**
 * Notices how long something takes: `slow` after two seconds, `stuck` after fifteen, `fine` when it has ended.
 * @param {(pace: "fine" | "slow" | "stuck") => void} onPace
 */
export function createPace(onPace) {
  /** @type {number[]} */
  let timers = [];

  function end() {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
    onPace("fine");
  }

  return {
    begin() {
      if (timers.length > 0) return;
      timers = [window.setTimeout(() => onPace("slow"), SLOW_MS), window.setTimeout(() => onPace("stuck"), STUCK_MS)];
    },
    end,
  };
}
