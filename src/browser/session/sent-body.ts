/** One value in the body of a request, with the name of its form field or property; empty without one. */
export interface SentValue {
  readonly name: string;
  readonly value: string;
}

interface Parts {
  readonly values: readonly SentValue[];
  /** Whether some of it cannot be read: binary, encrypted or too large. */
  readonly isOpaque: boolean;
  /** Whether the names are those of form fields, as a browser sends them. */
  readonly isForm: boolean;
}

/**
 * What the body of a request carries, to compare it with what was entered. It may hold personal data, so it stays in
 * memory: the values are private, and neither `JSON.stringify` nor a log line shows them.
 */
export class SentBody {
  readonly #values: readonly SentValue[];
  readonly isOpaque: boolean;
  readonly isForm: boolean;

  constructor({ values, isOpaque, isForm }: Parts) {
    this.#values = values;
    this.isOpaque = isOpaque;
    this.isForm = isForm;
  }

  get values(): readonly SentValue[] {
    return this.#values;
  }

  /** How much memory it takes, roughly. */
  get characters(): number {
    return this.#values.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  }

  toJSON(): undefined {
    return undefined;
  }
}

export const OPAQUE_BODY = new SentBody({ values: [], isOpaque: true, isForm: false });

const MAX_BYTES = 1_000_000;
const MAX_VALUES = 5_000;
const MAX_DEPTH = 40;

/**
 * Reads a body: forms, JSON at any depth (GraphQL variables too), and other text as one value. Null when there is none. A
 * body that the browser does not reveal, such as a file, still has a content type.
 */
export function readBody(body: Buffer | string | null, contentType: string | null): SentBody | null {
  const type = mediaTypeOf(contentType);
  if (body === null) return type === "" ? null : OPAQUE_BODY;
  if (body.length === 0) return null;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (bytes.length > MAX_BYTES) return OPAQUE_BODY;
  return type === "multipart/form-data" ? readMultipart(bytes, contentType ?? "") : readText(bytes, type);
}

function mediaTypeOf(contentType: string | null): string {
  const [type = ""] = (contentType ?? "").split(";", 1);
  return type.trim().toLowerCase();
}

function readText(bytes: Buffer, type: string): SentBody {
  const text = decode(bytes);
  if (text === null) return OPAQUE_BODY;
  const isForm = type === "application/x-www-form-urlencoded";
  const collector = new Collector();
  if (isForm) for (const [name, value] of new URLSearchParams(text)) collector.addText(name, value, 0);
  else collector.addText("", text, 0);
  return collector.toBody(isForm);
}

/** Collects values up to a limit; what is beyond it is opaque. */
class Collector {
  readonly #values: SentValue[] = [];
  #isOpaque = false;

  /** A text may itself be JSON: forms carry it in hidden fields. */
  addText(name: string, text: string, depth: number): void {
    const json = /^\s*[[{"]/.test(text) ? parseJson(text) : undefined;
    if (json !== undefined && typeof json === "object" && json !== null) this.#addJson(name, json, depth + 1);
    else this.#add(name, typeof json === "string" ? json : text);
  }

  #addJson(name: string, data: unknown, depth: number): void {
    if (depth > MAX_DEPTH) this.#isOpaque = true;
    else if (typeof data === "string") this.addText(name, data, depth);
    else if (typeof data !== "object" || data === null) this.#add(name, String(data ?? ""));
    else
      for (const [key, value] of Object.entries(data))
        this.#addJson(Array.isArray(data) ? name : key, value, depth + 1);
  }

  #add(name: string, value: string): void {
    if (this.#values.length >= MAX_VALUES || looksEncoded(value)) this.#isOpaque = true;
    if (this.#values.length < MAX_VALUES) this.#values.push({ name, value });
  }

  toBody(isForm: boolean): SentBody {
    return new SentBody({ values: this.#values, isOpaque: this.#isOpaque, isForm });
  }
}

const MIN_ENCODED = 120;

/** Base64 or hexadecimal of some length: it may be anything, also an encrypted form. Tokens are shorter or have dots. */
function looksEncoded(value: string): boolean {
  const text = value.trim();
  return text.length >= MIN_ENCODED && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && /\d/.test(text) && /[A-Z]/i.test(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Null for what is not text. */
function decode(bytes: Buffer): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    // Binary formats may happen to be valid UTF-8.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these never occur in text.
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** RFC 7578. The content of files is left out; their names are kept. */
function readMultipart(bytes: Buffer, contentType: string): SentBody {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return OPAQUE_BODY;
  const collector = new Collector();
  // Latin-1 keeps every byte, so that parts can be cut out and decoded one by one.
  const parts = bytes.toString("latin1").split(`--${boundary}`).slice(1, -1);
  for (const part of parts) {
    const [head = "", ...rest] = part.replace(/^\r\n/, "").split("\r\n\r\n");
    const content = rest.join("\r\n\r\n").replace(/\r\n$/, "");
    const name = toUtf8(/[; ]name="([^"]*)"/i.exec(head)?.[1] ?? "");
    const file = /[; ]filename="([^"]*)"/i.exec(head)?.[1];
    collector.addText(name, toUtf8(file ?? content), 0);
  }
  return parts.length === 0 ? OPAQUE_BODY : collector.toBody(true);
}

function toUtf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
