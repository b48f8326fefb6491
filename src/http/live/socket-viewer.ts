import type { WebSocket } from "@fastify/websocket";
import type { LiveFrame } from "../../connections/sign-in/live-browser.ts";
import type { Viewer } from "../../connections/sign-in/sign-ins.ts";
import { FRAME_HEADER_BYTES } from "../../contract/live-view.ts";

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
