import { Counter, Gauge } from "prom-client";
import type { Refusal } from "./sign-in-attempts.ts";

/** In the registry of the process, where /metrics finds them. */
const live = new Gauge({
  name: "errand_sign_ins_live",
  help: "People who are signing in by hand in a browser of this process now.",
});
const ended = new Counter({
  name: "errand_sign_ins_total",
  help: "Sign-ins by hand that ended in this process: saved, or by how they were refused.",
  labelNames: ["outcome"],
});

export function countLive(change: 1 | -1): void {
  live.inc(change);
}

export function countSignIn(outcome: "saved" | Refusal): void {
  ended.inc({ outcome });
}
