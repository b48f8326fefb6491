import type { ExecutionEvent } from "./api.ts";
import { ConnectionFailed, RateLimited, Unavailable } from "./errors.ts";
import { delayMs, eitherOf, pause } from "./transport.ts";

/** One event of a stream (HTML, "Server-sent events"). */
export interface ServerSentEvent {
  id: string;
  type: string;
  data: string;
}

/** The events of a stream. One that is cut off in the middle is not reported. */
export async function* parseEventStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let event = { id: "", type: "message", data: [] as string[] };
  for await (const line of readLines(chunks)) {
    if (line === "") {
      if (event.data.length > 0) yield { ...event, data: event.data.join("\n") };
      event = { id: event.id, type: "message", data: [] };
      continue;
    }
    const [field, value] = splitField(line);
    if (field === "data") event.data.push(value);
    else if (field === "event") event.type = value;
    else if (field === "id" && !value.includes("\0")) event.id = value;
  }
}

/** Lines end with CR, LF or both; a chunk can end anywhere, even within a character. */
async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    // A CR at the end may be the first half of a CR LF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(":");
  if (colon < 0) return [line, ""];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
}

/** The service sends a comment every 15 seconds. After this time without a byte, the connection is dead. */
const SILENCE_MS = 45_000;

interface FollowOptions {
  /** Opens the stream after the event with this id. */
  open(lastEventId: number, signal: AbortSignal): Promise<Response>;
  after: number;
  /** How often in a row opening the stream may fail. */
  maxFailures: number;
  signal?: AbortSignal | undefined;
}

/** All events up to the last one. A stream that breaks is opened again after the last event that was seen. */
export async function* followEvents({
  open,
  after,
  maxFailures,
  signal,
}: FollowOptions): AsyncGenerator<ExecutionEvent> {
  let lastEventId = after;
  let failures = 0;
  for (let attempt = 0; ; attempt += 1) {
    const connection = new AbortController();
    try {
      const response = await open(lastEventId, eitherOf(connection.signal, signal));
      failures = 0;
      for await (const event of readEvents(response, connection)) {
        lastEventId = event.id;
        attempt = 0;
        yield event;
        if (event.type === "execution.completed" || event.type === "execution.failed") return;
      }
    } catch (error) {
      failures += 1;
      if (failures > maxFailures || signal?.aborted || !isPassing(error)) throw error;
    } finally {
      connection.abort();
    }
    await pause(delayMs(attempt, null), signal);
  }
}

async function* readEvents(response: Response, connection: AbortController): AsyncGenerator<ExecutionEvent> {
  for await (const { type, data } of parseEventStream(readChunks(response, connection))) {
    if (type !== "message") yield JSON.parse(data) as ExecutionEvent;
  }
}

/** As when the service is restarted. */
function isPassing(error: unknown): boolean {
  return error instanceof ConnectionFailed || error instanceof Unavailable || error instanceof RateLimited;
}

/** Ends where the stream does, also when it breaks or falls silent: the caller opens it again. */
async function* readChunks(response: Response, connection: AbortController): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  for (;;) {
    const timer = setTimeout(() => connection.abort(), SILENCE_MS);
    const read = await reader?.read().catch(() => undefined);
    clearTimeout(timer);
    if (read?.value === undefined) return;
    yield read.value;
  }
}
