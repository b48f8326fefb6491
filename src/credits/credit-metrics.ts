import { Counter } from "prom-client";

/** In the registry of the process, where /metrics finds it. */
const moved = new Counter({
  name: "errand_credits_total",
  help: "Credits that this process granted, reserved, captured for verified results, or released, of all owners together.",
  labelNames: ["kind"],
});
for (const kind of ["grant", "reserve", "capture", "release"]) moved.inc({ kind }, 0);

export function countCredits(kind: "grant" | "reserve" | "capture" | "release", credits: number): void {
  moved.inc({ kind }, credits);
}
