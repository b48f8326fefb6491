import type { Box } from "../../browser/observation/observation.ts";
import type { Deadline } from "../../lib/waiting.ts";

/** Money, as a page states it. */
export interface Amount {
  readonly value: number;
  /** ISO 4217, such as "EUR". */
  readonly currency: string;
}

/** What a person is asked while the run waits. Everything that comes from a page is data. */
export interface InteractionRequest {
  readonly kind: "approval" | "question" | "takeover";
  /** One sentence: what is about to be done, what only the person knows, or why a person is needed. */
  readonly message: string;
  /** The page that the run is on. */
  readonly url: string;
  /** For an approval: what it costs, who gets it, and what it is about, as far as the page says so. */
  readonly amount: Amount | null;
  readonly recipient: string | null;
  readonly items: readonly string[];
  /** For an approval: the values that will be sent, with the labels of their fields. Secrets are masked. */
  readonly values: readonly { readonly name: string; readonly value: string }[];
  /** For a question: what to choose from; empty when any text is fine. */
  readonly options: readonly string[];
  /** For a question: the answer is a one-time code or another secret. It is stored and logged nowhere. */
  readonly isSecret: boolean;
  /** The page as it is, and the place that is about to be acted on, in pixels of the picture. */
  readonly picture: { readonly artifactId: string; readonly mark: Box | null } | null;
}

/** Who has used the browser. `link`: somebody who had a link and was not signed in. */
export type PersonRole = "user" | "owner" | "application" | "link";

export type InteractionAnswer =
  | { readonly kind: "approved" }
  | { readonly kind: "declined" }
  | { readonly kind: "answered"; readonly text: string }
  /** The person has finished with the browser. */
  | { readonly kind: "handed_back"; readonly by: PersonRole }
  /** Nobody answered in time. */
  | { readonly kind: "expired" };

/** The people who can answer for a run: the user, or somebody whom the application asks instead. */
export interface People {
  /** "commits": somebody wants to agree before anything is bought, sent, published or deleted. */
  readonly approval: "never" | "commits";
  /** Whether anybody can answer at all. */
  readonly isReachable: boolean;
  /** What the user lets be spent; null without limits. */
  readonly budget: Budget | null;
  /** Waits for an answer. The time does not count against the run's limit. */
  ask(request: InteractionRequest, signal: AbortSignal): Promise<InteractionAnswer>;
}

export interface Budget {
  /** Reserves an amount before it is spent. What a person has approved is reserved above the limits, too. */
  reserve(amount: Amount, isApproved: boolean): Promise<Reservation>;
}

/** `why` is a sentence. */
type Reservation =
  | { readonly kind: "reserved"; readonly spending: Spending }
  | { readonly kind: "refused"; readonly why: string };

/** A reserved amount. It counts until it is settled as not sent. */
export interface Spending {
  /** Called before anything can be sent: what happens from here on is unknown if the run is lost. */
  begin(): Promise<void>;
  settle(isSent: boolean): Promise<void>;
}

/** How a person takes over the browser of the run. */
export interface Takeover {
  /** Whether somebody wants to use it now. */
  readonly isWanted: boolean;
  /** Passes their input to the browser, and returns who it was. The time does not count against the run's limit. */
  waitUntilHandedBack(signal: AbortSignal): Promise<PersonRole | null>;
}

/** The same; the deadline is paused while a person has the browser. */
export function pauseWhileTakenOver(takeover: Takeover, deadline: Deadline): Takeover {
  return {
    get isWanted() {
      return takeover.isWanted;
    },
    waitUntilHandedBack: (signal) => deadline.pauseWhile(() => takeover.waitUntilHandedBack(signal)),
  };
}

/** The same people; the deadline is paused while they are asked. */
export function pauseWhileAsking(people: People, deadline: Deadline): People {
  return {
    approval: people.approval,
    isReachable: people.isReachable,
    budget: people.budget,
    ask: (request, signal) => deadline.pauseWhile(() => people.ask(request, signal)),
  };
}
