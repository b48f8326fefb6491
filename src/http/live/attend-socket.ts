import type { WebSocket } from "@fastify/websocket";
import type { Seat } from "../../connections/sign-in/sign-ins.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { createInputLimit } from "./input-limit.ts";
import { parseViewerMessage } from "./viewer-message.ts";

/** RFC 6455 §7.4.1. */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const OUR_MISTAKE = 1011;

const PING_MS = 20_000;

interface AttendOptions {
  clock: Clock;
  logger: Logger;
  /** Aborts when the service begins to stop. */
  stopping: AbortSignal;
}

/** Hands what comes in to the seat, until the socket closes or says something that no page of ours would. */
export function attendSocket(socket: WebSocket, seat: Pick<Seat, "receive">, options: AttendOptions): void {
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
      socket.close(OUR_MISTAKE);
    }
  });
  keepWatch(socket);
  closeWhenStopping(socket, options.stopping);
}

/** A line that is cut without a word would otherwise look open for hours. */
function keepWatch(socket: WebSocket): void {
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
