import type { IncomingMessage } from "node:http";
import type { WebSocket } from "@fastify/websocket";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { FastifyRequest } from "fastify";
import type { LiveFrame } from "../../connections/sign-in/live-browser.ts";
import type { Viewer } from "../../connections/sign-in/viewer.ts";
import { RunViewerMessage } from "../../contract/live-run.ts";
import { FRAME_HEADER_BYTES, type LiveInput, type ServiceMessage, ViewerMessage } from "../../contract/live-view.ts";
import type { Clock } from "../../lib/clock.ts";
import { CallerError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { TokenBuckets } from "../../lib/token-bucket.ts";

/** RFC 6455 §7.4.1. */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;

const PING_MS = 20_000;

interface SocketOptions {
  clock: Clock;
  logger: Logger;
  /** Aborts when the service begins to stop. */
  stopping: AbortSignal;
}

/** What a page of ours sends. */
type AnyMessage = ViewerMessage | RunViewerMessage;

interface MessageReader<Message extends AnyMessage> {
  /** Null when it is not a message of our page. */
  parse(text: string): Message | null;
  receive(message: Message): void;
}

/** Passes incoming messages on, until the socket closes or sends something our page never would. */
export function serveSocket<Message extends AnyMessage>(
  socket: WebSocket,
  { parse, receive }: MessageReader<Message>,
  options: SocketOptions,
): void {
  const limit = createInputLimit(options.clock);

  // Messages that have arrived behind the bad one are ignored.
  function reject(reason: string): void {
    socket.removeAllListeners("message");
    socket.close(POLICY_VIOLATION, reason);
  }

  socket.on("message", (data: Buffer, isBinary: boolean) => {
    if (!limit.mayReceive(data.length)) return reject("too many messages");
    const message = isBinary ? null : parse(data.toString());
    if (message === null) return reject("unknown message");
    const verdict = limit.judge(message);
    if (verdict === "reject") return reject("too many messages");
    if (verdict === "drop") return;
    try {
      receive(message);
    } catch (error) {
      options.logger.error({ err: error }, "Handling a message of a live view failed");
      socket.close(INTERNAL_ERROR);
    }
  });
  terminateWhenUnresponsive(socket);
  closeWhenStopping(socket, options.stopping);
}

/** Without pings, a connection that was cut silently would look open for hours. */
function terminateWhenUnresponsive(socket: WebSocket): void {
  let isResponsive = true;
  socket.on("pong", () => {
    isResponsive = true;
  });
  const timer = setInterval(() => {
    if (!isResponsive) return socket.terminate();
    isResponsive = false;
    socket.ping();
  }, PING_MS);
  socket.once("close", () => clearInterval(timer));
}

function closeWhenStopping(socket: WebSocket, stopping: AbortSignal): void {
  const close = () => socket.close(GOING_AWAY, "stopping");
  if (stopping.aborted) close();
  else stopping.addEventListener("abort", close, { once: true });
  socket.once("close", () => stopping.removeEventListener("abort", close));
}

const ajv = new Ajv2020({ strict: false, logger: false });

/** Messages from the page of a live sign-in. */
export const parseViewerMessage = createParser<ViewerMessage>(ViewerMessage);
/** Messages from the page of a live run. */
export const parseRunViewerMessage = createParser<RunViewerMessage>(RunViewerMessage);

function createParser<Message>(schema: object): (text: string) => Message | null {
  const isMessage = ajv.compile<Message>(schema);
  return (text) => {
    const value = parseJson(text);
    return isMessage(value) ? value : null;
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Our page sends at most one movement per screen refresh, so 240 a second on the fastest screens, and little else. Above the
 * first limit movements are dropped. Above the second, the sender is not our page.
 */
const MOVEMENTS = { perMinute: 600 * 60, burst: 1_200 };
const EVERYTHING = { perMinute: 2_000 * 60, burst: 6_000 };
/** For messages that cost the browser work, such as resizing. Above the first limit they are dropped, above the second rejected. */
const CONTROLS = { perMinute: 20 * 60, burst: 40 };
const CONTROL_FLOOD = { perMinute: 100 * 60, burst: 400 };
const BYTES_PER_TOKEN = 1_024;
const IN_PAGE: ReadonlySet<LiveInput["type"]> = new Set(["pointer", "wheel", "touch", "key", "text"]);

interface InputLimit {
  /** Long messages count as several. */
  mayReceive(bytes: number): boolean;
  judge(message: AnyMessage): "pass" | "drop" | "reject";
}

/** For one socket. */
function createInputLimit(clock: Clock): InputLimit {
  const everything = new TokenBuckets(EVERYTHING, clock);
  const movements = new TokenBuckets(MOVEMENTS, clock);
  const controls = new TokenBuckets(CONTROLS, clock);
  const controlFlood = new TokenBuckets(CONTROL_FLOOD, clock);
  return {
    mayReceive(bytes) {
      for (let counted = 0; counted <= bytes; counted += BYTES_PER_TOKEN) {
        if (everything.take("") > 0) return false;
      }
      return true;
    },
    judge(message) {
      if (isControl(message)) {
        if (controlFlood.take("") > 0) return "reject";
        if (controls.take("") > 0) return "drop";
      }
      // Every message counts, so that movements leave room for the rest.
      return movements.take("") > 0 && isMovement(message) ? "drop" : "pass";
    },
  };
}

/** Everything but input to the page and "drawn", both of which are frequent. */
function isControl(message: AnyMessage): boolean {
  return message.type === "input" ? !IN_PAGE.has(message.input.type) : message.type !== "drawn";
}

function isMovement(message: AnyMessage): boolean {
  if (message.type !== "input") return false;
  const { input } = message;
  return input.type === "wheel" || ((input.type === "pointer" || input.type === "touch") && input.kind === "move");
}

const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
/** Private close codes (RFC 6455 §7.4.2), known to the page's script. */
const CLOSE_CODES = { over: 1000, replaced: 4001 };

/** Sends to a page that can join before its socket is open: messages are queued until then. */
export interface SocketSender<Message> extends Pick<Viewer, "sendFrame" | "close"> {
  open(socket: WebSocket): void;
  send(message: Message): void;
}

export interface SocketViewer extends SocketSender<ServiceMessage>, Viewer {}

export function createSocketSender<Message>(): SocketSender<Message> {
  const queued: (() => void)[] = [];
  let socket: WebSocket | null = null;
  let isSendingFrame = false;
  let nextFrame: Buffer | null = null;

  function whenOpen(action: () => void): void {
    if (socket === null) queued.push(action);
    else action();
  }

  /** On a slow connection the newest frame waits for the previous one to be sent; frames in between are dropped. */
  function sendFrame(frame: Buffer): void {
    if (isSendingFrame) {
      nextFrame = frame;
      return;
    }
    isSendingFrame = true;
    socket?.send(frame, () => {
      isSendingFrame = false;
      const next = nextFrame;
      nextFrame = null;
      if (next !== null) sendFrame(next);
    });
  }

  /** A page that has stopped reading is disconnected. It may reconnect. */
  function send(text: string): void {
    if (socket !== null && socket.bufferedAmount > MAX_UNSENT_BYTES) socket.terminate();
    else socket?.send(text);
  }

  return {
    open(opened) {
      socket = opened;
      for (const action of queued.splice(0)) action();
    },
    send: (message) => whenOpen(() => send(JSON.stringify(message))),
    sendFrame: (number, frame) => whenOpen(() => sendFrame(encodeFrame(number, frame))),
    close: (reason) => whenOpen(() => socket?.close(CLOSE_CODES[reason], reason)),
  };
}

function encodeFrame(number: number, { width, height, jpeg }: LiveFrame): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + jpeg.length);
  frame.writeUInt32BE(number, 0);
  frame.writeUInt16BE(width, 4);
  frame.writeUInt16BE(height, 6);
  jpeg.copy(frame, FRAME_HEADER_BYTES);
  return frame;
}

/** The sockets of live sign-ins and of live runs. */
const LIVE_URL = /^\/(?:connect|live)\/[^/?#]+\/live(?:\?|$)/;
const WEBSOCKET_KEY = /^[+/0-9A-Za-z]{22}==$/;
const WEBSOCKET_VERSION = "13";

/** Whether this request may become a WebSocket. On any other URL the Upgrade header is ignored, as RFC 9110 §7.8 allows. */
export function mayUpgrade({ method, url, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && LIVE_URL.test(url ?? "");
}

/**
 * Throws unless the handshake can succeed (RFC 6455 §4.2.1): otherwise the ticket, valid once, would be wasted. Browsers always
 * send the origin of a WebSocket. Checking it is what keeps other sites from using the person's cookie.
 */
export function checkHandshake(request: FastifyRequest, publicUrl: string): void {
  if (!request.ws) throw new CallerError("INVALID_REQUEST", "This URL is only for the WebSocket of a live view.");
  const { headers } = request.raw;
  if (
    !WEBSOCKET_KEY.test(headers["sec-websocket-key"] ?? "") ||
    headers["sec-websocket-version"] !== WEBSOCKET_VERSION
  ) {
    throw new CallerError("INVALID_REQUEST", "This is not a WebSocket handshake (version 13).");
  }
  const from = URL.parse(headers.origin ?? "")?.origin;
  const ours = [publicUrl, `${request.protocol}://${headers.host}`].map((url) => URL.parse(url)?.origin);
  if (from === undefined || from === "null" || !ours.includes(from))
    throw new CallerError("INVALID_REQUEST", "This WebSocket can only be opened from a page of this service.");
}
