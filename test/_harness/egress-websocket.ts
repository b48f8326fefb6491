import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** Just enough of RFC 6455: accepts, and echoes every short text. */
export function echoWebSocket(request: IncomingMessage, socket: Duplex): void {
  const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash("sha1").update(key).digest("base64");
  const lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
  socket.write(`${lines.join("\r\n")}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  socket.on("error", () => {});
  socket.on("data", (frame: Buffer) => {
    if (frame[0] !== 0x81) return;
    const length = (frame[1] ?? 0) & 0x7f;
    const mask = frame.subarray(2, 6);
    const text = frame.subarray(6, 6 + length).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    socket.write(Buffer.concat([Buffer.from([0x81, length]), text]));
  });
}
