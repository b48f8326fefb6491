import { createHash } from "node:crypto";

/** Many more than a run needs to know. A page may send thousands, such as the position of the pointer. */
const MAX_MESSAGES = 500;

/** The WebSocket messages that pages have sent, to recognise one that is sent again. Only their hashes are kept. */
export class SocketMessages {
  readonly #hashes = new Set<string>();

  /** Whether it is new. When there are too many, none is. */
  add(url: string, message: string | Buffer): boolean {
    if (this.isFull || this.has(url, message)) return false;
    this.#hashes.add(hash(url, message));
    return true;
  }

  has(url: string, message: string | Buffer): boolean {
    return this.#hashes.has(hash(url, message));
  }

  /** The last message stands for all that follow. */
  get isFull(): boolean {
    return this.#hashes.size >= MAX_MESSAGES;
  }
}

/** The query names the connection, and is another one each time. */
function hash(url: string, message: string | Buffer): string {
  const { host, pathname } = new URL(url);
  return createHash("sha256").update(`${host}${pathname}\n`).update(message).digest("base64");
}

/** Without the numbers that Socket.IO puts before its JSON. */
export function readMessage(message: string | Buffer): string | Buffer {
  return typeof message === "string" ? message.replace(/^\d+(?:\/[^,]*,)?\d*(?=[[{])/, "") : message;
}
