import { Counter } from "prom-client";
import { ACTIONS } from "./actions/catalogue.ts";

/** In the registry of the process, where /metrics finds them. */
const steps = new Counter({
  name: "errand_steps_total",
  help: "Steps of runs in this process, by action and outcome; what is no action counts as other.",
  labelNames: ["action", "outcome"],
});
const verdicts = new Counter({
  name: "errand_verdicts_total",
  help: "Verdicts of the verifier in this process: agreed or refused.",
  labelNames: ["verdict"],
});
for (const verdict of ["agreed", "refused"]) verdicts.inc({ verdict }, 0);

export function countStep(action: string, outcome: "ok" | "failed"): void {
  steps.inc({ action: ACTIONS.has(action) ? action : "other", outcome });
}

export function countVerdict(agreed: boolean): void {
  verdicts.inc({ verdict: agreed ? "agreed" : "refused" });
}
