import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { App } from "../dependencies.ts";

const MAX_BYTES = 32 * 1024 * 1024;
const MAX_MS = 15_000;
/** A client that sends nothing for this long is waiting for us to close the connection. */
const IDLE_MS = 1_000;

/**
 * A request may be refused before its body has arrived. If the connection were closed then, most clients would fail to send
 * the rest and never read the response. So the response is sent at once but ends only when the rest, up to a limit, was read.
 */
export function addUnreadBodies(app: App): void {
  app.addHook("onSend", async ({ raw }, reply, payload) => {
    if (raw.complete || !hasBody(raw) || (typeof payload !== "string" && !Buffer.isBuffer(payload))) return payload;
    const content = Buffer.from(payload as string);
    reply.header("content-length", content.length);
    const response = new Readable({ read() {} });
    response.push(content);
    void discardBody(raw).then((isWhole) => {
      // Node would go on reading after the response.
      if (!isWhole) reply.raw.once("finish", () => raw.socket.destroySoon());
      response.push(null);
    });
    return response;
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** False when the body did not end within the limits. */
function discardBody(request: IncomingMessage): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let bytes = 0;
  const idle = setTimeout(() => resolve(false), IDLE_MS);
  const deadline = setTimeout(() => resolve(false), MAX_MS);
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    idle.refresh();
    if (bytes > MAX_BYTES) resolve(false);
  };
  request
    .on("data", count)
    .once("end", () => resolve(true))
    .once("close", () => resolve(request.complete))
    .once("error", () => resolve(false))
    .resume();
  return promise.finally(() => {
    clearTimeout(idle);
    clearTimeout(deadline);
    request.off("data", count);
  });
}
