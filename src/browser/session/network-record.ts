/** One request of a page, a frame or a worker. Each hop of a redirect is one of its own. */
export interface NetworkRecord {
  /** 1, 2, 3 … within the run. */
  readonly number: number;
  readonly method: string;
  readonly url: string;
  /** As Playwright names it: document, fetch, xhr, ping, websocket, … */
  readonly resourceType: string;
  readonly isNavigation: boolean;
  /** Whether it went to a host of the run's allow-list, or to the site of the page that sent it. */
  readonly isFirstParty: boolean;
  readonly startedAt: Date;
  /** Null: not answered (yet). */
  readonly status: number | null;
  /** Why there is no answer: broken off, refused by the allow-list, refused in read-only mode. */
  readonly failure: string | null;
  /** Of the body, to recognise a repetition; null when there is none. */
  readonly bodyHash: string | null;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether the method is one that may change something on the other side. */
export function isWrite({ method }: { method: string }): boolean {
  return !SAFE_METHODS.has(method.toUpperCase());
}

/** The failures of what we kept from leaving the browser: it has changed nothing. */
export const READ_ONLY_FAILURE = "refused: this run only reads";
export const NO_RESPONSE_FAILURE = "the host did not answer";
export const NOT_ALLOWED_FAILURE = "refused: the host is not allowed for this run";

export function isBlocked({ failure }: Pick<NetworkRecord, "failure">): boolean {
  return failure === READ_ONLY_FAILURE || failure === NOT_ALLOWED_FAILURE;
}
