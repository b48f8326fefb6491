import type { BrowserContext, Page, Request, Response, WebSocket } from "playwright-core";
import type { Clock } from "../../lib/clock.ts";
import { isFromProxy } from "../egress/proxy-response.ts";
import type { Mark } from "./browser-session.ts";
import { EarlyResponses, isSameUrl } from "./early-responses.ts";
import { HeldRequests } from "./held-requests.ts";
import type { Lifeline } from "./lifeline.ts";
import { hashBody, isWrite, type NetworkRecord } from "./network-record.ts";
import { isNamedAsRead } from "./read-request.ts";
import { isReadableJson, readJson } from "./received-json.ts";
import { SentBefore } from "./sent-before.ts";
import { OPAQUE_BODY, readBody, type SentBody } from "./sent-body.ts";
import type { SessionLimits } from "./session-options.ts";
import { readPolledMessages, withoutSocketIo } from "./socket-messages.ts";
import { isAfter, Pulse, type Timeline } from "./timeline.ts";
import { isFirstParty, type RefusedHosts, type UrlPolicy } from "./url-policy.ts";
import type { InterceptedWrite, IsFrameAllowed, OnResponse, WriteOutcome } from "./write-interceptor.ts";

interface RecorderOptions {
  timeline: Timeline;
  clock: Clock;
  policy: UrlPolicy;
  refused: RefusedHosts;
  lifeline: Lifeline;
  limits: SessionLimits;
  /** No request that may change something leaves the browser. */
  isReadOnly: boolean;
  /** WebSocket messages that may leave it all the same. */
  isFrameAllowed: IsFrameAllowed;
}

/** A record that may still change. */
export interface OpenRecord extends Mutable<NetworkRecord> {
  readonly at: number;
  readonly startedMs: number;
  /** When the response headers arrived. */
  respondedMs: number | null;
  /** The request is finished or has failed. */
  isOver: boolean;
  /** The document of a tab, as opposed to that of a frame. */
  readonly isMainDocument: boolean;
  /** When the browser dropped it after the response headers: it is a download, or has no content. */
  droppedMs: number | null;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const BLOCKED_FAILURES: Record<NonNullable<NetworkRecord["blockedBy"]>, string> = {
  read_only: "blocked because this execution has read-only access",
  allow_list: "blocked because the host is not on the list of allowed hosts",
  gate: "held back, because it was not agreed to",
};

/** For the bodies of all writes of a session. */
const MAX_SENT_CHARACTERS = 8_000_000;

/** Records every request of a context: of pages, frames, workers and service workers. */
export class NetworkRecorder {
  readonly #options: RecorderOptions;
  readonly #byRequest = new WeakMap<Request, OpenRecord>();
  /** Bodies of responses that are being read. */
  readonly #reading = new WeakMap<Request, Promise<void>>();
  readonly #reads: OpenRecord[] = [];
  readonly #writes: OpenRecord[] = [];
  /** Writes whose response was seen by the interceptor. */
  readonly #corrected = new WeakSet<OpenRecord>();
  readonly #early = new EarlyResponses();
  /** A request began or ended. */
  readonly changed = new Pulse();
  #count = 0;
  #sentCharacters = 0;
  readonly sentBefore = new SentBefore(this.#writes);
  readonly held: HeldRequests;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.held = new HeldRequests(options.policy);
  }

  /** Must be called before the context loads anything. */
  watch(context: BrowserContext): void {
    context.on("request", (request) => this.#begin(request));
    context.on("response", (response) => {
      const record = this.#byRequest.get(response.request());
      if (record === undefined) return;
      record.respondedMs = performance.now();
      this.#respond(record, isFromProxy(response.headers()) ? null : response.status());
      if (isWrite(record) && record.received === null)
        this.#reading.set(response.request(), readReceived(response, record));
    });
    context.on("requestfinished", (request) => {
      const end = () => this.#end(this.#byRequest.get(request), null);
      const reading = this.#reading.get(request);
      if (reading === undefined) end();
      else void reading.then(end);
    });
    context.on("requestfailed", (request) => {
      this.#end(this.#byRequest.get(request), request.failure()?.errorText ?? "aborted");
    });
  }

  /** Only pages report WebSockets, contexts do not. */
  watchWebSockets(page: Page): void {
    page.on("websocket", (socket) => this.#followWebSocket(page, socket));
  }

  /** Records an intercepted write, unless the page reports it as well. */
  trackWrite(write: InterceptedWrite): OnResponse {
    if (write.isVisibleToPage) return (outcome) => this.#correct(write, outcome);
    const { method, url, body, bodyHash, contentType, from } = write;
    const record = this.#create({
      method,
      url,
      resourceType: this.#keepPolledMessages(write) ? "websocket" : write.resourceType,
      isNavigation: false,
      isFirstParty: isFirstParty(url, from, this.#options.policy),
      isNamedAsRead: isWrite(write) && isNamedAsRead(write),
      bodyHash,
      sent: this.#keepBody(method, body, contentType),
      isMainDocument: false,
    });
    this.#keep(record);
    return (outcome) => {
      if (outcome.status !== null || outcome.isFromProxy) this.#respond(record, outcome.status);
      void outcome.received.then((received) => {
        record.received = received;
        this.#end(record, outcome.failure);
      });
    };
  }

  since(mark: Mark): NetworkRecord[] {
    const newer = [...this.#reads, ...this.#writes].filter(({ at }) => isAfter(at, mark));
    return newer.sort((a, b) => a.at - b.at).map(toNetworkRecord);
  }

  writes(): NetworkRecord[] {
    return this.#writes.map(toNetworkRecord);
  }

  /** Requests that began since the mark. */
  begunSince(mark: Mark): OpenRecord[] {
    return [...this.#reads, ...this.#writes].filter(({ at }) => isAfter(at, mark));
  }

  /** Those of them that are still open. */
  openSince(mark: Mark): OpenRecord[] {
    return this.begunSince(mark).filter(({ isOver }) => !isOver);
  }

  /** Documents requested since the mark that were dropped since `sinceMs`. */
  countDropped(since: Mark, sinceMs: number): number {
    return [...this.#reads, ...this.#writes].filter(
      ({ at, droppedMs }) => droppedMs !== null && droppedMs >= sinceMs && isAfter(at, since),
    ).length;
  }

  /** Whether a tab waits for a document. Until its headers arrive, Chromium runs no script in the page of that tab. */
  get isDocumentPending(): boolean {
    return [...this.#reads, ...this.#writes].some(
      ({ isMainDocument, isOver, respondedMs }) => isMainDocument && !isOver && respondedMs === null,
    );
  }

  /** Background requests without a response. */
  countOpen(): number {
    return [...this.#reads, ...this.#writes].filter(
      ({ isOver, resourceType, respondedMs }) =>
        !isOver && respondedMs === null && (resourceType === "fetch" || resourceType === "xhr"),
    ).length;
  }

  /** All requests so far. */
  get count(): number {
    return this.#count;
  }

  #begin(request: Request): void {
    const isNavigation = request.isNavigationRequest();
    const frame = findFrame(request);
    const body = request.postDataBuffer();
    const contentType = request.headers()["content-type"] ?? null;
    const text = isWrite({ method: request.method() }) && !isNavigation ? request.postData() : null;
    const asked = { url: request.url(), body: text, contentType };
    const record = this.#create({
      method: request.method(),
      url: request.url(),
      resourceType: this.#keepPolledMessages(asked) ? "websocket" : request.resourceType(),
      isNavigation,
      isFirstParty: isFirstParty(request.url(), frame?.url() ?? null, this.#options.policy),
      isNamedAsRead: text !== null && isNamedAsRead(asked),
      bodyHash: hashBody(body),
      sent: this.#keepBody(request.method(), body, contentType),
      isMainDocument: isNavigation && (frame === null || frame.parentFrame() === null),
    });
    this.#byRequest.set(request, record);
    this.#keep(record);
    const early = isWrite(record) ? this.#early.take(record) : null;
    if (early !== null) this.#apply(record, early);
  }

  /** Beyond the limit a body counts as unreadable. */
  #keepBody(method: string, body: Buffer | string | null, contentType: string | null): SentBody | null {
    if (!isWrite({ method })) return null;
    const sent = readBody(body, contentType);
    if (sent === null || this.#sentCharacters + sent.characters > MAX_SENT_CHARACTERS) return sent && OPAQUE_BODY;
    this.#sentCharacters += sent.characters;
    return sent;
  }

  /** Whether the request stands for a WebSocket. */
  #keepPolledMessages(asked: { url: string; body: string | null }): boolean {
    const messages = readPolledMessages(asked);
    for (const message of messages ?? []) this.sentBefore.addMessage(asked.url, message);
    return messages !== null;
  }

  #create(facts: Omit<OpenRecord, "number" | "at" | "startedAt" | "startedMs" | (typeof UNKNOWN_YET)[number]>) {
    this.#count += 1;
    const { timeline, clock } = this.#options;
    const record: OpenRecord = {
      ...facts,
      number: this.#count,
      at: timeline.next(),
      startedAt: clock.now(),
      startedMs: performance.now(),
      status: null,
      failure: null,
      blockedBy: null,
      received: null,
      respondedMs: null,
      isOver: false,
      droppedMs: null,
    };
    return record;
  }

  #keep(record: OpenRecord): void {
    const { maxReads, maxWrites } = this.#options.limits;
    if (isWrite(record)) {
      this.#writes.push(record);
      if (this.#writes.length > maxWrites) {
        this.#options.lifeline.lose(`The pages sent more than ${maxWrites} requests that may change something.`);
      }
    } else {
      this.#reads.push(record);
      if (this.#reads.length > maxReads) this.#reads.shift();
    }
    this.changed.fire();
  }

  /** A null status means that the proxy responded in place of the host. */
  #respond(record: OpenRecord, status: number | null): void {
    if (this.#isRefused(record)) block(record, "allow_list");
    else if (status === null) record.failure = "the host did not respond";
    else record.status = status;
    this.changed.fire();
  }

  #end(record: OpenRecord | undefined, failure: string | null): void {
    if (record === undefined) return;
    record.isOver = true;
    if (failure !== null && record.status === null && this.held.take(record)) block(record, "gate");
    // In a read-only browser, one that reads may pass: it has a status then.
    else if (this.#options.isReadOnly && isWrite(record) && record.status === null) block(record, "read_only");
    // A download or a response without content ends the navigation as failed, but there was a response.
    else if (failure !== null && record.status === null) {
      if (this.#isRefused(record)) block(record, "allow_list");
      else record.failure = failure;
    } else if (failure !== null && record.isNavigation) record.droppedMs = performance.now();
    this.changed.fire();
  }

  /**
   * When a page is left, Chromium reports its open requests as aborted, although they continue and get a response. On a busy machine the
   * response may even be there before the page has reported the request.
   */
  #correct(write: InterceptedWrite, outcome: WriteOutcome): void {
    const open = this.#writes.filter((each) => isSameUrl(each, write) && !this.#corrected.has(each));
    const record = open.findLast(({ bodyHash }) => bodyHash === write.bodyHash) ?? open.at(-1);
    if (record !== undefined) this.#apply(record, outcome);
    else this.#early.keep(write, outcome);
  }

  #apply(record: OpenRecord, { status, received }: WriteOutcome): void {
    this.#corrected.add(record);
    // The page's own copy of a body may be gone by the time it is read.
    void received.then((json) => {
      record.received ??= json;
    });
    if (status === null || record.status !== null || record.failure?.startsWith("net::") === false) return;
    record.failure = null;
    this.#respond(record, status);
  }

  /** Over http a refusal looks like a response of the host, over https like a broken connection. */
  #isRefused({ url }: OpenRecord): boolean {
    return this.#options.refused.has(url);
  }

  /** Each message is a write of its own, unless it repeats another one, as heartbeats do. */
  #followWebSocket(page: Page, socket: WebSocket): void {
    const url = socket.url();
    const create = (method: string, sent: SentBody | null) =>
      this.#create({
        method,
        url,
        resourceType: "websocket",
        isNavigation: false,
        isFirstParty: isFirstParty(url, page.url(), this.#options.policy),
        isNamedAsRead: false,
        bodyHash: null,
        sent,
        isMainDocument: false,
      });
    const record = create("GET", null);
    this.#keep(record);
    socket.on("framesent", ({ payload }) => {
      const isNew = this.sentBefore.addMessage(url, payload);
      // Only the WebSocket of a worker gets here: other messages of pages are blocked.
      if (this.#options.isReadOnly) {
        if (this.#options.isFrameAllowed(url, payload)) return;
        this.#options.lifeline.lose("A worker sent a WebSocket message although the execution has read-only access.");
      }
      if (!isNew) return;
      const content = typeof payload === "string" ? withoutSocketIo(payload) : payload;
      const sent = this.#keepBody("WEBSOCKET", content, null) ?? OPAQUE_BODY;
      const message = create("WEBSOCKET", this.sentBefore.isFull ? OPAQUE_BODY : sent);
      // The handshake precedes the first message, and a message gets no response.
      Object.assign(message, { status: 101, isOver: true });
      this.#keep(message);
    });
    socket.on("framereceived", () => {
      record.status = 101;
    });
    socket.on("socketerror", (error) => {
      if (this.#isRefused(record)) block(record, "allow_list");
      else record.failure = error;
      record.isOver = true;
    });
    socket.on("close", () => {
      record.isOver = true;
    });
  }
}

const UNKNOWN_YET = ["status", "failure", "blockedBy", "received", "respondedMs", "isOver", "droppedMs"] as const;

function block(record: OpenRecord, by: NonNullable<NetworkRecord["blockedBy"]>): void {
  record.blockedBy = by;
  record.failure = BLOCKED_FAILURES[by];
}

function toNetworkRecord(open: OpenRecord): NetworkRecord {
  const { at: _at, startedMs, respondedMs, isOver, isMainDocument, droppedMs, ...record } = open;
  return record;
}

/** Must begin before the response is complete: a page that is left takes the bodies of its responses with it. */
async function readReceived(response: Response, record: OpenRecord): Promise<void> {
  if (!isReadableJson(response.status(), response.headers())) return;
  try {
    record.received = readJson(await response.body());
  } catch {
    // The page was left, or the browser no longer has the body.
  }
}

/** Null for a service worker, and for a document whose frame does not exist yet. */
function findFrame(request: Request) {
  if (request.serviceWorker() !== null) return null;
  try {
    return request.frame();
  } catch {
    return null;
  }
}
