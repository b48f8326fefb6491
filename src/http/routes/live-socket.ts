import type { WebSocket } from "@fastify/websocket";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { LiveFrame } from "../../connections/sign-in/live-browser.ts";
import type { Viewer, ViewerSession } from "../../connections/sign-in/sign-in-attempts.ts";
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

/** Hands what comes in to the seat, until the socket closes or says something that no page of ours would. */
export function serveSocket(socket: WebSocket, seat: Pick<ViewerSession, "receive">, options: SocketOptions): void {
  const limit = createInputLimit(options.clock);

  // Ending at once, so that whatever has arrived behind the mistake is not looked at any more.
  function refuse(reason: string): void {
    socket.removeAllListeners("message");
    socket.close(POLICY_VIOLATION, reason);
  }

  socket.on("message", (data: Buffer, isBinary: boolean) => {
    if (!limit.mayReceive(data.length)) return refuse("too many messages");
    const message = isBinary ? null : parseViewerMessage(data.toString());
    if (message === null) return refuse("not a message of this page");
    const verdict = limit.judge(message);
    if (verdict === "refuse") return refuse("too many messages");
    if (verdict === "leave_out") return;
    try {
      seat.receive(message);
    } catch (error) {
      options.logger.error({ err: error }, "a message of a live sign-in failed");
      socket.close(INTERNAL_ERROR);
    }
  });
  terminateWhenUnresponsive(socket);
  closeWhenStopping(socket, options.stopping);
}

/** A line that is cut without a word would otherwise look open for hours. */
function terminateWhenUnresponsive(socket: WebSocket): void {
  let hasAnswered = true;
  socket.on("pong", () => {
    hasAnswered = true;
  });
  const timer = setInterval(() => {
    if (!hasAnswered) return socket.terminate();
    hasAnswered = false;
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

/** What the person's page said; null when it is nothing that such a page says. */
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
 * A page of ours sends at most one movement per picture of the person's screen, so 240 a second from the fastest, and
 * hardly anything else. Beyond the first limit, movements are left out; beyond the second, it is not a page of ours.
 */
const MOVEMENTS = { perMinute: 600 * 60, burst: 1_200 };
const EVERYTHING = { perMinute: 2_000 * 60, burst: 6_000 };
/** What makes the browser itself work, such as another size. Beyond the first it is left out, beyond the second refused. */
const CONTROLS = { perMinute: 20 * 60, burst: 40 };
const CONTROL_FLOOD = { perMinute: 100 * 60, burst: 400 };
const BYTES_PER_TOKEN = 1_024;
const IN_PAGE: ReadonlySet<LiveInput["type"]> = new Set(["pointer", "wheel", "touch", "key", "text"]);

interface InputLimit {
  /** Long messages count as several. */
  mayReceive(bytes: number): boolean;
  judge(message: ViewerMessage): "pass_on" | "leave_out" | "refuse";
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
        if (controlFlood.take("") > 0) return "refuse";
        if (controls.take("") > 0) return "leave_out";
      }
      // Drawn from by every message, so that movements leave room for what matters more.
      return movements.take("") > 0 && isMovement(message) ? "leave_out" : "pass_on";
    },
  };
}

/** Neither what a person does in the page nor the word that a picture was drawn, of which many are to be expected. */
function isControl(message: ViewerMessage): boolean {
  return message.type === "input" ? !IN_PAGE.has(message.input.type) : message.type !== "drawn";
}

function isMovement(message: ViewerMessage): boolean {
  if (message.type !== "input") return false;
  const { input } = message;
  return input.type === "wheel" || ((input.type === "pointer" || input.type === "touch") && input.kind === "move");
}

const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
/** Close codes of our own (RFC 6455 §7.4.2); the page's script knows them. */
const CLOSE_CODES = { over: 1000, replaced: 4001 };

/** A viewer that can be given a seat before its socket is open: what it is told until then is kept. */
export interface SocketViewer extends Viewer {
  open(socket: WebSocket): void;
}

export function createSocketViewer(isSignedIn: () => Promise<boolean>): SocketViewer {
  const early: (() => void)[] = [];
  let socket: WebSocket | null = null;
  let isSendingFrame = false;
  let nextFrame: Buffer | null = null;

  function whenOpen(act: () => void): void {
    if (socket === null) early.push(act);
    else act();
  }

  /** On a slow line the newest picture waits until the one before it has left, and older ones are left out. */
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

  /** A page that takes nothing any more is let go; it may come back. */
  function send(text: string): void {
    if (socket !== null && socket.bufferedAmount > MAX_UNSENT_BYTES) socket.terminate();
    else socket?.send(text);
  }

  return {
    open(opened) {
      socket = opened;
      for (const act of early.splice(0)) act();
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
