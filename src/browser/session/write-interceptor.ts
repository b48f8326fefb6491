import type { Browser, BrowserContext, CDPSession } from "playwright-core";
import { HANDSHAKE_URL, isFromProxy } from "../egress/proxy-response.ts";
import { ACTING_VERBS, findActingVerb } from "./acting-url.ts";
import { hashBody, isWrite } from "./network-record.ts";
import { isReadableJson, type ReceivedJson, readJson } from "./received-json.ts";

/** A request that may change something, at the moment it leaves the browser. */
export interface InterceptedWrite {
  /** Whether the page, and so Playwright, gets events of it. */
  readonly isVisibleToPage: boolean;
  readonly method: string;
  readonly url: string;
  readonly resourceType: string;
  /** As text; what is no text is missing in it. */
  readonly body: string | null;
  /** Of all its bytes. */
  readonly bodyHash: string | null;
  readonly contentType: string | null;
  /** The URL of the page that sends it, if known. */
  readonly from: string | null;
}

/** Decides about a request that may change something. */
export type IsBlocked = (write: Omit<InterceptedWrite, "isVisibleToPage" | "resourceType" | "from">) => boolean;

/** Stops what may change something and is blocked, and what should only read but seems to act. */
export function blockWrites(isBlocked: IsBlocked): RequestGate {
  return (request) => {
    const isStopped = isWrite(request) ? isBlocked(request) : findActingVerb(request.url) !== null;
    return isStopped ? "stop" : "pass";
  };
}

/** A request of a page that waits for a decision. */
export type HeldRequest = Omit<InterceptedWrite, "isVisibleToPage">;

/** Decides, before it leaves the browser, whether a request may. It must decide at once: the page waits for it. */
export type RequestGate = (request: HeldRequest) => "pass" | "stop";

/** Decides about a WebSocket message of a page that is otherwise not allowed to change anything. */
export type IsFrameAllowed = (url: string, message: string | Buffer) => boolean;

interface InterceptOptions {
  readonly gate: RequestGate;
  /** Whether requests of every type are held, not only of those by which pages usually change something. */
  readonly isStrict: boolean;
  readonly onWrite: (write: InterceptedWrite) => OnResponse;
}

/** Called when the request is over. */
export type OnResponse = (outcome: WriteOutcome) => void;

export interface WriteOutcome {
  readonly status: number | null;
  readonly failure: string | null;
  /** Whether the proxy responded in place of the host. */
  readonly isFromProxy: boolean;
  /** Known before the page gets the response. */
  readonly received: Promise<ReceivedJson | null>;
}

/** The interception of a browser's requests. */
export interface WriteInterceptor {
  /**
   * From now on every request of a frame that has sent nothing before must pass this gate, and is not recorded. For pages of
   * another context in the same browser: dispose of the result when that context has closed.
   */
  gateNewFrames(gate: RequestGate): Promise<Disposable>;
}

/** The used part of DevTools' `Fetch.requestPaused`. With `interceptResponse` it comes a second time, with the response. */
interface PausedRequest {
  readonly requestId: string;
  /** Of the frame or worker that sends it. It is the same in no two contexts, and known after the frame is gone. */
  readonly frameId: string;
  /** Missing when no page gets events of it. */
  readonly networkId?: string | undefined;
  readonly resourceType: string;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly postData?: string | undefined;
    readonly postDataEntries?: readonly { readonly bytes?: string | undefined }[] | undefined;
  };
  readonly responseStatusCode?: number | undefined;
  readonly responseStatusText?: string | undefined;
  readonly responseHeaders?: readonly { readonly name: string; readonly value: string }[] | undefined;
  readonly responseErrorReason?: string | undefined;
}

const NOTHING = Promise.resolve(null);

/** Only these types can change something, or be sent without an event for the page, and images whose URLs seem to act. */
const GATED = [
  ...(["Document", "Ping", "XHR", "Fetch"] as const).map((resourceType) => ({ resourceType })),
  ...ACTING_VERBS.map((verb) => ({ urlPattern: `*${verb}*`, resourceType: "Image" as const })),
];

const GATED_TYPES: ReadonlySet<string> = new Set(
  GATED.flatMap((each) => ("urlPattern" in each ? [] : each.resourceType)),
);

function isGated({ resourceType, request: { url } }: PausedRequest): boolean {
  return GATED_TYPES.has(resourceType) || (resourceType === "Image" && ACTING_VERBS.some((verb) => url.includes(verb)));
}

const EVERYTHING = [{ urlPattern: "*" }];

/**
 * Intercepts requests at the browser level. What a page sends while it is being left (beacons, `keepalive`) appears in no
 * page event and bypasses Playwright's `route`; here it is seen and can be blocked. This covers the whole browser, so it
 * is only for a browser that serves a single session and its verification.
 */
export async function interceptWrites(
  browser: Browser,
  { gate, isStrict, onWrite }: InterceptOptions,
): Promise<WriteInterceptor> {
  const session = await browser.newBrowserCDPSession();
  const awaitingResponse = new Map<string, OnResponse>();
  /** Those that sent something while no other context had loaded a page. */
  const ownFrames = new Set<string>();
  const newFrameGates = new Set<RequestGate>();

  function isOwn({ frameId, request: { url } }: PausedRequest): boolean {
    if (newFrameGates.size > 0) return ownFrames.has(frameId);
    // Every context begins with it, also one that is opened for others.
    if (url !== HANDSHAKE_URL) ownFrames.add(frameId);
    return true;
  }

  async function handle(paused: PausedRequest): Promise<void> {
    const awaiting = awaitingResponse.get(paused.requestId);
    if (awaiting === undefined) return await decide(paused);
    awaitingResponse.delete(paused.requestId);
    await passOn(paused, awaiting);
  }

  async function decide(paused: PausedRequest): Promise<void> {
    const { requestId } = paused;
    const write = describeWrite(paused);
    const isOwnFrame = isOwn(paused);
    // Held only because of other frames.
    if (isOwnFrame && !isStrict && !isGated(paused)) return await resume(requestId);
    const gates = isOwnFrame ? [gate] : [...newFrameGates];
    const isStopped = gates.some((each) => each(write) === "stop");
    const onResponse = isOwnFrame && isWrite(write) ? onWrite(write) : null;
    if (isStopped) {
      onResponse?.({ status: null, failure: "Aborted", isFromProxy: false, received: NOTHING });
      // "Aborted" keeps the page and its fields as they are; other reasons show an error page.
      await session.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
    } else {
      // The page reports the response to a document in any case.
      const isAwaited = onResponse !== null && write.resourceType !== "document";
      if (isAwaited) awaitingResponse.set(requestId, onResponse);
      await resume(requestId, { interceptResponse: isAwaited });
    }
  }

  async function passOn(paused: PausedRequest, onResponse: OnResponse): Promise<void> {
    const outcome = readOutcome(paused);
    if (!isReadableJson(outcome.status, toHeaders(paused))) {
      onResponse({ ...outcome, received: NOTHING });
      return await resume(paused.requestId);
    }
    const body = takeBody(session, paused).catch(() => null);
    onResponse({ ...outcome, received: body.then((bytes) => bytes && readJson(bytes)) });
    await complete(session, paused, await body);
  }

  async function resume(requestId: string, options: { interceptResponse?: boolean } = {}): Promise<void> {
    await session.send("Fetch.continueRequest", { requestId, ...options });
  }

  session.on("Fetch.requestPaused", (paused) => {
    // The page or the browser may be gone by now.
    handle(paused).catch(() => {});
  });
  const updatePatterns = async () => {
    const patterns = isStrict || newFrameGates.size > 0 ? EVERYTHING : GATED;
    await session.send("Fetch.enable", { patterns });
  };
  await updatePatterns();
  return {
    async gateNewFrames(newGate) {
      // A gate of its own, so that two callers can have the same.
      const added: RequestGate = (request) => newGate(request);
      newFrameGates.add(added);
      const remove = () => {
        newFrameGates.delete(added);
        // The browser may be gone by now.
        updatePatterns().catch(() => {});
      };
      try {
        await updatePatterns();
        return { [Symbol.dispose]: remove };
      } catch (error) {
        remove();
        throw error;
      }
    },
  };
}

function toHeaders({ responseHeaders = [] }: PausedRequest): Record<string, string> {
  return Object.fromEntries(responseHeaders.map(({ name, value }) => [name.toLowerCase(), value]));
}

/** More than any page needs. It is read in pieces, because a single message that is too long ends the process. */
const MAX_HELD_BYTES = 32_000_000;
const CHUNK_BYTES = 1_000_000;

/**
 * The body of a held response; null when it is too long. It must be read now: a page that is left takes the bodies of its
 * responses with it. The browser no longer has it then, so the response must be completed with it.
 */
async function takeBody(session: CDPSession, { requestId }: PausedRequest): Promise<Buffer | null> {
  const { stream: handle } = await session.send("Fetch.takeResponseBodyAsStream", { requestId });
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isComplete = false;
  while (!isComplete && bytes <= MAX_HELD_BYTES) {
    const { data, base64Encoded, eof } = await session.send("IO.read", { handle, size: CHUNK_BYTES });
    const chunk = Buffer.from(data, base64Encoded ? "base64" : "utf8");
    chunks.push(chunk);
    bytes += chunk.length;
    isComplete = eof;
  }
  await session.send("IO.close", { handle });
  return isComplete ? Buffer.concat(chunks) : null;
}

/** Headers about how a body was transferred. */
const TRANSFER_HEADERS: ReadonlySet<string> = new Set(["content-encoding", "content-length", "transfer-encoding"]);

/** Gives the page its response with the body that was taken from it. */
async function complete(
  session: CDPSession,
  { requestId, responseStatusCode = 200, responseStatusText, responseHeaders = [] }: PausedRequest,
  body: Buffer | null,
): Promise<void> {
  if (body === null) {
    await session.send("Fetch.failRequest", { requestId, errorReason: "Failed" });
    return;
  }
  await session.send("Fetch.fulfillRequest", {
    requestId,
    responseCode: responseStatusCode,
    ...(responseStatusText ? { responsePhrase: responseStatusText } : {}),
    responseHeaders: responseHeaders.filter(({ name }) => !TRANSFER_HEADERS.has(name.toLowerCase())),
    body: body.toString("base64"),
  });
}

function readOutcome(paused: PausedRequest): Omit<WriteOutcome, "received"> {
  const { responseStatusCode, responseErrorReason } = paused;
  if (isFromProxy(toHeaders(paused))) return { status: null, failure: null, isFromProxy: true };
  return { status: responseStatusCode ?? null, failure: responseErrorReason ?? null, isFromProxy: false };
}

const RESOURCE_TYPES: ReadonlyMap<string, string> = new Map([
  ["Ping", "ping"],
  ["Document", "document"],
  ["Image", "image"],
]);

function describeWrite({
  request: { method, url, headers, postData, postDataEntries = [] },
  resourceType,
  networkId,
}: PausedRequest): InterceptedWrite {
  const bytes = postDataEntries.map((entry) => Buffer.from(entry.bytes ?? "", "base64"));
  return {
    isVisibleToPage: networkId !== undefined,
    method,
    url,
    resourceType: RESOURCE_TYPES.get(resourceType) ?? "fetch",
    body: postData ?? null,
    bodyHash: hashBody(bytes.length > 0 ? Buffer.concat(bytes) : (postData ?? null)),
    contentType: headers["Content-Type"] ?? headers["content-type"] ?? null,
    from: headers["Referer"] ?? headers["Origin"] ?? null,
  };
}

/**
 * WebSocket messages are not requests. The page gets its WebSockets, but only the messages that are allowed reach the site.
 * Those that pages open in workers are not covered.
 */
export async function filterWebSockets(context: BrowserContext, isFrameAllowed: IsFrameAllowed): Promise<void> {
  await context.routeWebSocket(/.*/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      if (isFrameAllowed(socket.url(), message)) server.send(message);
    });
  });
}

/** A page with read-only access gets no WebSockets at all. */
export async function blockWebSockets(context: BrowserContext): Promise<void> {
  await context.routeWebSocket(/.*/, (socket) => socket.close({ code: 1008, reason: "Read-only access." }));
}

/**
 * Holds requests in a browser that other sessions use as well, where only this context may be touched. It disables the HTTP
 * cache, and does not see what a page sends while it is being left.
 */
export async function gateContext(context: BrowserContext, gate: RequestGate): Promise<void> {
  await context.route("**", (route) => {
    const request = route.request();
    const headers = request.headers();
    const held = {
      method: request.method(),
      url: request.url(),
      resourceType: request.resourceType(),
      body: request.postData(),
      bodyHash: hashBody(request.postDataBuffer()),
      contentType: headers["content-type"] ?? null,
      from: headers["referer"] ?? headers["origin"] ?? null,
    };
    return gate(held) === "stop" ? route.abort("aborted") : route.continue();
  });
}
