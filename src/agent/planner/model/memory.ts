import { ACTIONS } from "../../actions/catalogue.ts";
import type { Turn } from "../planner.ts";
import { EnteredFields } from "./entered-fields.ts";
import { Evidence } from "./evidence.ts";
import { History } from "./history.ts";
import { KnownAddresses } from "./known-addresses.ts";
import { Notebook } from "./notebook.ts";
import { Stuckness } from "./stuckness.ts";

/** Everything that a run remembers, kept by code. The model itself remembers nothing from one question to the next. */
export class Memory {
  readonly evidence = new Evidence();
  readonly notebook = new Notebook();
  readonly history = new History();
  readonly entered = new EnteredFields();
  readonly stuckness = new Stuckness();
  readonly addresses: KnownAddresses;
  /** Whether anything was clicked, entered or chosen. */
  hasActed = false;

  constructor(prompt: string, startUrl: string | null) {
    this.addresses = new KnownAddresses(prompt, startUrl);
  }

  see({ observation, reports }: Turn): void {
    this.evidence.see(observation, reports);
    this.addresses.see(observation);
    this.entered.note(reports, observation);
    this.stuckness.see(observation, reports);
    for (const report of reports) this.history.add(report);
    this.hasActed ||= reports.some(
      ({ call, failure }) => failure === null && ACTIONS.get(call.action)?.effect === "mutate",
    );
  }
}
