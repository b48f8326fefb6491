/**
 * What a site responded to a write, to see whether it says that it refused it. It may hold personal data, so it stays in
 * memory: the data is private, and neither `JSON.stringify` nor a log line shows it.
 */
export class ReceivedJson {
  readonly #data: unknown;

  constructor(data: unknown) {
    this.#data = data;
  }

  get data(): unknown {
    return this.#data;
  }

  toJSON(): undefined {
    return undefined;
  }
}

/** A response that says whether something worked is short. */
const MAX_JSON_BYTES = 64_000;

/** Whether a response to a write is JSON that may be read: of any other status it is known that it failed. */
export function isReadableJson(status: number | null, headers: Readonly<Record<string, string>>): boolean {
  const isJson = /^(?:application|text)\/(?:[\w.-]+\+)?json\b/i.test(headers["content-type"] ?? "");
  const isLong = Number(headers["content-length"] ?? 0) > MAX_JSON_BYTES;
  return status !== null && status >= 200 && status < 300 && isJson && !isLong;
}

/** Null for what is not JSON, or too long. */
export function readJson(body: Buffer): ReceivedJson | null {
  if (body.length > MAX_JSON_BYTES) return null;
  try {
    return new ReceivedJson(JSON.parse(body.toString("utf8")));
  } catch {
    return null;
  }
}
