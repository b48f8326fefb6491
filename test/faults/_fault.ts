import type { Accepted, Seat } from "./_clients.ts";
import type { Chance } from "./_seed.ts";
import type { ErrandKind } from "./_site.ts";
import type { Stage } from "./_stage.ts";

/** A fault that can be injected at one of several moments. */
export interface Fault {
  readonly name: string;
  readonly phases: readonly string[];
  /** Injects the fault and releases everything it has held. The caller restarts killed processes. */
  strike(round: Round): Promise<void>;
}

/** What a fault works with. */
export interface Round {
  readonly stage: Stage;
  readonly phase: string;
  readonly chance: Chance;
  /** Aborted when the fault takes too long: waiting for a moment then ends. */
  readonly signal: AbortSignal;
  /** Logs what happens, for debugging a failure. */
  note(text: string): void;
  /** Everything that has ended by now must stay as it is. */
  rememberEndings(): Promise<void>;
  /** An errand with an unused key. */
  newErrand(kind?: ErrandKind): Errand;
  /** Creates the execution; no worker claims it before it is released. */
  prepare(errand: Errand): Promise<Prepared>;
}

export interface Errand {
  readonly seat: Seat;
  readonly kind: ErrandKind;
  readonly key: string;
}

export interface Prepared extends Accepted {
  readonly seat: Seat;
  letGo(): Promise<void>;
}
