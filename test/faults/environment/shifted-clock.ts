/**
 * Preloaded into a real process: its wall clock is off by as many milliseconds as a file says, read anew all the time. The
 * monotonic clock and timers go on as they are, and so does PostgreSQL's clock, as when somebody sets a machine's clock.
 */
import { readFileSync } from "node:fs";

const file = process.env["FAULT_CLOCK_FILE"] ?? "";
const TrueDate = Date;

function nowMs(): number {
  return TrueDate.now() + Number(readFileSync(file, "utf8"));
}

globalThis.Date = new Proxy(TrueDate, {
  apply: () => new TrueDate(nowMs()).toString(),
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [nowMs()] : given, newTarget),
  get: (target, key, receiver) => (key === "now" ? nowMs : Reflect.get(target, key, receiver)),
});
