import type { WebSocket } from "@fastify/websocket";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { LiveFrame } from "../../connections/sign-in/live-browser.ts";
import type { Viewer, ViewerSession } from "../../connections/sign-in/viewer.ts";
import { FRAME_HEADER_BYTES, type LiveInput, ViewerMessage } from "../../contract/live-view.ts";
import type { Clock } from "../../lib/clock.ts";
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

/** Passes incoming messages to the sign-in, until the socket closes or sends something our page never would. */
export function serveSocket(socket: WebSocket, session: Pick<ViewerSession, "receive">, options: SocketOptions): void {
  const limit = createInputLimit(options.clock);

  // Messages that have arrived behind the bad one are ignored.
  function reject(reason: string): void {
    socket.removeAllListeners("message");
    socket.close(POLICY_VIOLATION, reason);
  }

  socket.on("message", (data: Buffer, isBinary: boolean) => {
    if (!limit.mayReceive(data.length)) return reject("too many messages");
    const message = isBinary ? null : parseViewerMessage(data.toString());
    if (message === null) return reject("unknown message");
    const verdict = limit.judge(message);
    if (verdict === "reject") return reject("too many messages");
    if (verdict === "drop") return;
    try {
      session.receive(message);
    } catch (error) {
      options.logger.error({ err: error }, "Handling a live sign-in message failed");
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
const isViewerMessage = ajv.compile<ViewerMessage>(ViewerMessage);

/** Null when it is not a message of our page. */
function parseViewerMessage(text: string): ViewerMessage | null {
  const value = parseJson(text);
  return isViewerMessage(value) ? value : null;
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
  judge(message: ViewerMessage): "pass" | "drop" | "reject";
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
function isControl(message: ViewerMessage): boolean {
  return message.type === "input" ? !IN_PAGE.has(message.input.type) : message.type !== "drawn";
}

function isMovement(message: ViewerMessage): boolean {
  if (message.type !== "input") return false;
  const { input } = message;
  return input.type === "wheel" || ((input.type === "pointer" || input.type === "touch") && input.kind === "move");
}

const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
/** Private close codes (RFC 6455 §7.4.2), known to the page's script. */
const CLOSE_CODES = { over: 1000, replaced: 4001 };

/** A viewer that can join before its socket is open: messages are queued until then. */
export interface SocketViewer extends Viewer {
  open(socket: WebSocket): void;
}

export function createSocketViewer(isSignedIn: () => Promise<boolean>): SocketViewer {
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
    isSignedIn,
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
