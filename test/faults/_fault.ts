import type { Accepted, Seat } from "./_clients.ts";
import type { Chance } from "./_seed.ts";
import type { ErrandKind } from "./_site.ts";
import type { Stage } from "./_stage.ts";

/** Something that goes wrong, at one of several moments. */
export interface Fault {
  readonly name: string;
  readonly phases: readonly string[];
  /** Breaks it, and lets go of everything it has held; what was killed is started again by whoever called. */
  strike(round: Round): Promise<void>;
}

/** What a fault works with. */
export interface Round {
  readonly stage: Stage;
  readonly phase: string;
  readonly chance: Chance;
  /** Aborted when the fault takes too long: whoever waits for a moment gives up. */
  readonly signal: AbortSignal;
  /** Writes down what happens, for whoever has to understand a failure. */
  note(text: string): void;
  /** What has ended by now must stay as it is, whatever comes. */
  rememberEndings(): Promise<void>;
  /** An errand that nobody has asked for yet. */
  newErrand(kind?: ErrandKind): Errand;
  /** Has it created; nobody takes it before it is let go. */
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
