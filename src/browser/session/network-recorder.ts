import { createHash } from "node:crypto";
import type { BrowserContext, Page, Request, WebSocket } from "playwright-core";
import type { Clock } from "../../lib/clock.ts";
import { isFromProxy } from "../egress/proxy-response.ts";
import type { Mark } from "./browser-session.ts";
import type { Lifeline } from "./lifeline.ts";
import {
  isWrite,
  type NetworkRecord,
  NO_RESPONSE_FAILURE,
  NOT_ALLOWED_FAILURE,
  READ_ONLY_FAILURE,
} from "./network-record.ts";
import type { SessionLimits } from "./session-options.ts";
import { isAfter, Pulse, type Timeline } from "./timeline.ts";
import { isFirstParty, type RefusedHosts, type UrlPolicy } from "./url-policy.ts";
import type { InterceptedWrite, OnResponse } from "./write-interceptor.ts";

interface RecorderOptions {
  timeline: Timeline;
  clock: Clock;
  policy: UrlPolicy;
  refused: RefusedHosts;
  lifeline: Lifeline;
  limits: SessionLimits;
  /** Nothing that may change something leaves the browser. */
  isReadOnly: boolean;
}

/** A record while it is written. */
export interface OpenRecord extends Mutable<NetworkRecord> {
  readonly at: number;
  readonly startedMs: number;
  /** When the head of the answer came. */
  answeredMs: number | null;
  /** Nothing more will come. */
  isOver: boolean;
  /** For the document of a tab, as opposed to that of a frame. */
  readonly isMainDocument: boolean;
  /** When it was dropped after its head had come: it is a download, or has no content. */
  droppedMs: number | null;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Writes down every request of a context: of pages, frames, workers and service workers. Bodies only as a hash. */
export class NetworkRecorder {
  readonly #options: RecorderOptions;
  readonly #byRequest = new WeakMap<Request, OpenRecord>();
  readonly #reads: OpenRecord[] = [];
  readonly #writes: OpenRecord[] = [];
  /** Something began or ended. */
  readonly changed = new Pulse();
  #count = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Must be called before the context loads anything. */
  watch(context: BrowserContext): void {
    context.on("request", (request) => this.#begin(request));
    context.on("response", (response) => {
      const record = this.#byRequest.get(response.request());
      if (record === undefined) return;
      record.answeredMs = performance.now();
      const isProxys = isFromProxy(response.headers());
      this.#answer(record, isProxys ? null : response.status());
    });
    context.on("requestfinished", (request) => this.#end(this.#byRequest.get(request), null));
    context.on("requestfailed", (request) => {
      this.#end(this.#byRequest.get(request), request.failure()?.errorText ?? "broken off");
    });
  }

  /** Contexts do not tell about WebSockets, only pages do. */
  watchWebSockets(page: Page): void {
    page.on("websocket", (socket) => this.#followWebSocket(page, socket));
  }

  /** A request on its way out of the browser, which may be known already. */
  follow(write: InterceptedWrite): OnResponse {
    if (write.isTold) return (status) => this.#correct(write, status);
    const { method, url, resourceType, body, from } = write;
    const record = this.#create({
      method,
      url,
      resourceType,
      isNavigation: false,
      isFirstParty: isFirstParty(url, from, this.#options.policy),
      bodyHash: hashBody(body),
      isMainDocument: false,
    });
    this.#keep(record);
    return (status, failure) => {
      if (status !== null) this.#answer(record, status);
      this.#end(record, failure);
    };
  }

  since(mark: Mark): NetworkRecord[] {
    const newer = [...this.#reads, ...this.#writes].filter(({ at }) => isAfter(at, mark));
    return newer.sort((a, b) => a.at - b.at).map(toNetworkRecord);
  }

  writes(): NetworkRecord[] {
    return this.#writes.map(toNetworkRecord);
  }

  /** What has begun since and is not over, for deciding whether to wait. */
  openSince(mark: Mark): OpenRecord[] {
    return [...this.#reads, ...this.#writes].filter(({ at, isOver }) => !isOver && isAfter(at, mark));
  }

  /** Documents that were answered since the first moment, and then dropped since the second. */
  countDropped(since: Mark, sinceMs: number): number {
    return [...this.#reads, ...this.#writes].filter(
      ({ at, droppedMs }) => droppedMs !== null && droppedMs >= sinceMs && isAfter(at, since),
    ).length;
  }

  /** Whether a tab waits for a document: until its head is there, the page in the tab answers no questions. */
  get isDocumentAwaited(): boolean {
    return [...this.#reads, ...this.#writes].some(
      ({ isMainDocument, isOver, answeredMs }) => isMainDocument && !isOver && answeredMs === null,
    );
  }

  /** How many have begun in all. */
  get count(): number {
    return this.#count;
  }

  #begin(request: Request): void {
    const isNavigation = request.isNavigationRequest();
    const frame = findFrame(request);
    const record = this.#create({
      method: request.method(),
      url: request.url(),
      resourceType: request.resourceType(),
      isNavigation,
      isFirstParty: isFirstParty(request.url(), frame?.url() ?? null, this.#options.policy),
      bodyHash: hashBody(request.postDataBuffer()),
      isMainDocument: isNavigation && (frame === null || frame.parentFrame() === null),
    });
    this.#byRequest.set(request, record);
    this.#keep(record);
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
      answeredMs: null,
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

  /** Null: the host has not answered, the proxy has in its place. */
  #answer(record: OpenRecord, status: number | null): void {
    if (this.#isRefused(record)) record.failure = NOT_ALLOWED_FAILURE;
    else if (status === null) record.failure = NO_RESPONSE_FAILURE;
    else record.status = status;
    this.changed.fire();
  }

  #end(record: OpenRecord | undefined, failure: string | null): void {
    if (record === undefined) return;
    record.isOver = true;
    if (this.#options.isReadOnly && isWrite(record)) record.failure = READ_ONLY_FAILURE;
    // A download or an answer without content ends the navigation, but it is an answer.
    else if (failure !== null && record.status === null) {
      record.failure = this.#isRefused(record) ? NOT_ALLOWED_FAILURE : failure;
    } else if (failure !== null && record.isNavigation) record.droppedMs = performance.now();
    this.changed.fire();
  }

  /** When a page is left, what it has sent is called broken off, although it goes on and is answered. */
  #correct({ method, url }: InterceptedWrite, status: number | null): void {
    const record = this.#writes.findLast((each) => each.method === method && each.url.split("#")[0] === url);
    if (status === null || record === undefined || record.status !== null) return;
    if (record.failure?.startsWith("net::") === false) return;
    record.failure = null;
    this.#answer(record, status);
  }

  /** A refusal looks like an answer of the host over http, and like a broken connection over https. */
  #isRefused({ url }: OpenRecord): boolean {
    return this.#options.refused.has(url);
  }

  /** It counts as something that may change something as soon as the page sends a message. */
  #followWebSocket(page: Page, socket: WebSocket): void {
    const record = this.#create({
      method: "GET",
      url: socket.url(),
      resourceType: "websocket",
      isNavigation: false,
      isFirstParty: isFirstParty(socket.url(), page.url(), this.#options.policy),
      bodyHash: null,
      isMainDocument: false,
    });
    this.#keep(record);
    socket.on("framesent", () => {
      if (isWrite(record)) return;
      // Only a worker's comes so far, for it has no page that could refuse it.
      if (this.#options.isReadOnly) this.#options.lifeline.lose("A worker sent a message in a run that only reads.");
      const index = this.#reads.indexOf(record);
      if (index >= 0) this.#reads.splice(index, 1);
      record.method = "WEBSOCKET";
      // Nothing is sent before the other side has agreed.
      record.status = 101;
      this.#keep(record);
    });
    socket.on("framereceived", () => {
      record.status = 101;
    });
    socket.on("socketerror", (error) => {
      record.failure = this.#isRefused(record) ? NOT_ALLOWED_FAILURE : error;
      record.isOver = true;
    });
    socket.on("close", () => {
      record.isOver = true;
    });
  }
}

const UNKNOWN_YET = ["status", "failure", "answeredMs", "isOver", "droppedMs"] as const;

function toNetworkRecord(open: OpenRecord): NetworkRecord {
  const { at: _at, startedMs, answeredMs, isOver, isMainDocument, droppedMs, ...record } = open;
  return record;
}

/** Service workers have no frame, and a document that is not there yet has none that could be asked. */
function findFrame(request: Request) {
  if (request.serviceWorker() !== null) return null;
  try {
    return request.frame();
  } catch {
    return null;
  }
}

function hashBody(body: Buffer | string | null): string | null {
  return body === null ? null : createHash("sha256").update(body).digest("hex");
}
