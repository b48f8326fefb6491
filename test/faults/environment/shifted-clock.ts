/**
 * Preloaded into a real process: shifts its wall clock by the number of milliseconds in a file, which is read each time. The
 * monotonic clock, timers and PostgreSQL's clock are unaffected, as when a machine's clock is set.
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
