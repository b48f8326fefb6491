/** One complete message of PostgreSQL's protocol. `type` is empty for what a client sends before the startup is complete. */
export interface Frame {
  readonly type: string;
  readonly bytes: Buffer;
}

const STARTUP_PROTOCOL = 3;

/** Splits a byte stream into messages. It is unencrypted: a client that requests encryption is refused. */
export class FrameReader {
  #buffered: Buffer = Buffer.alloc(0);
  #isStarted: boolean;

  constructor(from: "client" | "server") {
    this.#isStarted = from === "server";
  }

  push(chunk: Buffer): Frame[] {
    this.#buffered = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    const frames: Frame[] = [];
    for (let frame = this.#take(); frame !== null; frame = this.#take()) frames.push(frame);
    return frames;
  }

  #take(): Frame | null {
    const head = this.#isStarted ? 1 : 0;
    if (this.#buffered.length < head + 4) return null;
    const length = head + this.#buffered.readInt32BE(head);
    if (this.#buffered.length < length) return null;
    const bytes = this.#buffered.subarray(0, length);
    this.#buffered = this.#buffered.subarray(length);
    const type = this.#isStarted ? String.fromCharCode(bytes[0] ?? 0) : "";
    if (!this.#isStarted) this.#isStarted = bytes.readInt16BE(4) === STARTUP_PROTOCOL;
    return { type, bytes };
  }
}

/** The name of the prepared statement that a client's message executes; null for other messages. */
export function readStatementName({ type, bytes }: Frame): string | null {
  if (type !== "B") return null;
  // Type, length, the portal's name, then the statement's.
  const portalEnd = bytes.indexOf(0, 5);
  return bytes.toString("utf8", portalEnd + 1, bytes.indexOf(0, portalEnd + 1));
}
