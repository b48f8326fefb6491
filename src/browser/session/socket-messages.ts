/** A WebSocket message, as far as it tells what it is for. */
export interface SocketMessage {
  /** Of the operation: the event of Socket.IO, or a property such as "type"; null without one. */
  readonly name: string | null;
  /** Its JSON; undefined when it has none. */
  readonly data: unknown;
}

/** The numbers that Socket.IO puts before its JSON: a type, a namespace, and a counter. */
const SOCKET_IO = /^(4\d(?:\/[^,]*,)?)\d*(?=[[{])/;
/** Properties that name the operation, the most telling first. */
const NAMES = ["action", "method", "operation", "op", "procedure", "command", "cmd", "event", "type", "msg"] as const;

export function readSocketMessage(message: string): SocketMessage {
  const [, kind = ""] = SOCKET_IO.exec(message) ?? [];
  const data = unwrap(parseJson(withoutSocketIo(message)));
  // Socket.IO's 40 opens a connection, with what the site needs to sign the user in.
  return { name: kind.startsWith("40") ? "connect" : findName(data), data };
}

/** Whether it is a handshake or a heartbeat of Engine.IO, the transport below Socket.IO: numbers without any content. */
export function isSignal(url: string, message: string): boolean {
  return URL.parse(url)?.searchParams.has("EIO") === true && /^\d+(?:\/[^,]*,)?(?:probe)?$/.test(message);
}

export function withoutSocketIo(message: string): string {
  return message.replace(SOCKET_IO, "");
}

/** SockJS sends a list with the text of each message. */
function unwrap(data: unknown): unknown {
  if (!Array.isArray(data) || data.length !== 1 || typeof data[0] !== "string") return data;
  return parseJson(data[0]) ?? data;
}

function findName(data: unknown): string | null {
  if (Array.isArray(data)) return typeof data[0] === "string" ? data[0] : null;
  if (typeof data !== "object" || data === null) return null;
  const named: Readonly<Record<string, unknown>> = { ...data };
  return NAMES.map((name) => named[name]).find((value) => typeof value === "string") ?? null;
}

/** Between the messages in one request of Engine.IO. */
const MESSAGE_SEPARATOR = "\u001e";

/** The messages in a request that stands for a WebSocket: Engine.IO sends them by POST before it opens one. Else null. */
export function readPolledMessages({ url, body }: { url: string; body: string | null }): string[] | null {
  const query = URL.parse(url)?.searchParams;
  if (body === null || !query?.has("EIO") || query.get("transport") !== "polling") return null;
  return body.split(MESSAGE_SEPARATOR);
}

/** The message without what is another one at each visit: counters, times, and identifiers that the page generates. */
export function withoutIdentifiers(message: string): string {
  const [, kind = ""] = SOCKET_IO.exec(message) ?? [];
  const data = unwrap(parseJson(withoutSocketIo(message)));
  return typeof data === "object" && data !== null ? kind + JSON.stringify(blank(data, true)) : message;
}

const GENERATED = /^(?=.*\d)[\w-]{16,64}$/;

/** A number that comes first, or names the operation, tells what the message is for. */
function blank(data: unknown, isTelling: boolean): unknown {
  if (Array.isArray(data)) return data.map((each, index) => blank(each, index === 0));
  if (typeof data === "object" && data !== null) {
    const isName = (key: string) => key === "t" || NAMES.some((name) => name === key);
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, blank(value, isName(key))]));
  }
  const isIdentifier = typeof data === "number" || (typeof data === "string" && /^\d+$/.test(data));
  if (isIdentifier) return isTelling ? data : "#";
  return typeof data === "string" && GENERATED.test(data) ? "#" : data;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
