import { createHash } from "node:crypto";
import type { Mark } from "./browser-session.ts";
import type { NetworkRecord } from "./network-record.ts";
import { isReadMessage } from "./read-request.ts";
import { isSignal, readSocketMessage, withoutIdentifiers } from "./socket-messages.ts";
import { isAfter } from "./timeline.ts";
import type { InterceptedWrite } from "./write-interceptor.ts";

type SentRequest = Pick<NetworkRecord, "method" | "url" | "status" | "isNavigation" | "bodyHash"> & {
  readonly at: number;
};

type SentWrite = Pick<InterceptedWrite, "method" | "url" | "bodyHash">;

/** Many more than a run needs to know. A page may send thousands, such as the position of the pointer. */
const MAX_MESSAGES = 500;

/** What the pages of a run have sent, to decide what a page may send again when it is only opened. */
export class SentBefore {
  /** All requests that may change something. */
  readonly #requests: readonly SentRequest[];
  /** Hashes of WebSocket messages. */
  readonly #messages = new Set<string>();
  /** Hashes without identifiers: of those sent before the first action, and of all. */
  readonly #ofVisits = new Set<string>();
  readonly #ofRun = new Set<string>();
  #firstAction: Mark | null = null;

  constructor(requests: readonly SentRequest[]) {
    this.#requests = requests;
  }

  /** Called before each action on a page. Until the first one, pages send only what every visit sends. */
  markAction(mark: Mark): void {
    this.#firstAction ??= mark;
  }

  /** Whether pages have sent exactly this, with success, before anything was done on them. */
  isSentByVisiting(write: SentWrite): boolean {
    const first = this.#firstAction;
    return this.#findAccepted(write).some(({ at }) => first === null || !isAfter(at, first));
  }

  /** Whether pages have sent exactly this in the background, with success. */
  isSent(write: SentWrite): boolean {
    return this.#findAccepted(write).length > 0;
  }

  #findAccepted({ method, url, bodyHash }: SentWrite): SentRequest[] {
    const to = url.split("#")[0];
    return this.#requests.filter(
      (request) =>
        isAcceptedInBackground(request) &&
        request.method === method &&
        request.url.split("#")[0] === to &&
        request.bodyHash === bodyHash,
    );
  }

  /** Whether pages sent something to this URL in the background and the site accepted it. */
  hasAccepted({ method, url }: Pick<InterceptedWrite, "method" | "url">): boolean {
    const to = url.split(/[?#]/)[0];
    return this.#requests.some(
      (request) => isAcceptedInBackground(request) && request.method === method && request.url.split(/[?#]/)[0] === to,
    );
  }

  /** Whether the message is new. When there are too many, none is. */
  addMessage(url: string, message: string | Buffer): boolean {
    const key = hashMessage(url, message);
    if (this.isFull || this.#messages.has(key)) return false;
    this.#messages.add(key);
    const kind = hashMessage(url, toKind(message));
    this.#ofRun.add(kind);
    if (this.#firstAction === null) this.#ofVisits.add(kind);
    return true;
  }

  /** The last message stands for all that follow. */
  get isFull(): boolean {
    return this.#messages.size >= MAX_MESSAGES;
  }

  /** Whether a WebSocket message is what every visit sends, or else has been sent before and says that it reads. */
  mayRepeat(url: string, message: string | Buffer): boolean {
    const kind = hashMessage(url, toKind(message));
    if (this.#ofVisits.has(kind)) return true;
    if (typeof message !== "string") return false;
    return isSignal(url, message) || (this.#ofRun.has(kind) && isReadMessage(readSocketMessage(message)));
  }
}

function isAcceptedInBackground({ isNavigation, status }: SentRequest): boolean {
  return !isNavigation && status !== null && status < 300;
}

function toKind(message: string | Buffer): string | Buffer {
  return typeof message === "string" ? withoutIdentifiers(message) : message;
}

/** The query names the connection, and is another one each time. */
function hashMessage(url: string, message: string | Buffer): string {
  const { host, pathname } = new URL(url);
  return createHash("sha256").update(`${host}${pathname}\n`).update(message).digest("base64");
}
