import type { ProviderRefusal } from "./attempt-failure.ts";
import { readRetryAfterMs } from "./retry-after.ts";

const MAX_WORDS_LENGTH = 600;

export function readRefusal({ status, headers }: Response, body: string, now: Date): ProviderRefusal {
  return {
    kind: "refused",
    status,
    ...readWords(body),
    retryAfterMs: readRetryAfterMs(headers, now),
    isFinal: headers.get("x-should-retry") === "false",
  };
}

/** An error that came in the middle of a stream, after a status that promised success. */
export function readStreamedRefusal(error: unknown): ProviderRefusal {
  const { code, words } = readWords(typeof error === "string" ? error : toText(error));
  const says = `${code} ${words}`;
  const status = /rate.?limit|too many requests/i.test(says) ? 429 : 503;
  return { kind: "refused", status, code, words, retryAfterMs: null, isFinal: false };
}

function toText(error: unknown): string {
  try {
    return error instanceof Error ? error.message : (JSON.stringify(error) ?? "");
  } catch {
    return "";
  }
}

/** Only the message itself: some servers send the whole request back beside it. */
function readWords(body: string): Pick<ProviderRefusal, "code" | "words"> {
  const parsed = parse(body);
  const error = field(parsed, "error") ?? parsed;
  const message =
    [error, field(error, "message"), field(parsed, "message"), field(parsed, "detail")].find(
      (candidate) => typeof candidate === "string",
    ) ?? (parsed === undefined ? body : "");
  const code = [field(error, "code"), field(error, "type"), field(error, "status")].find(
    (candidate) => typeof candidate === "string" && /^[A-Za-z][A-Za-z_.-]{2,59}$/.test(candidate),
  );
  return { code: typeof code === "string" ? code : null, words: String(message).slice(0, MAX_WORDS_LENGTH) };
}

function field(value: unknown, name: string): unknown {
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === "object" && first !== null ? (first as Record<string, unknown>)[name] : undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
