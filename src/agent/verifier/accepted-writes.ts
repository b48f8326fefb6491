import type { NetworkRecord } from "../../browser/session/network-record.ts";
import { hasNegation } from "../grounding/english-words.ts";
import { findFailure, findSuccess } from "../grounding/failure-words.ts";

/** Whether the site took a write: its status says so, and its response does not say otherwise. */
export function isAccepted(write: NetworkRecord): boolean {
  return hasGoodStatus(write) && findRefusal(write) === null;
}

export function hasGoodStatus({ status }: NetworkRecord): boolean {
  return status !== null && status >= 200 && status < 400;
}

/** Names of properties by which a response says whether it worked. */
const SUCCESS_NAME = /^(?:ok|success|succeeded|successful|is_?success(?:ful)?)$/i;
const STATUS_NAME = /^status(?:_?code)?$/i;
const FAILED_STATUS = /^(?:error|fail|failed|failure|rejected|denied)$/i;

/** How the site's own response says that it refused a write, such as `"success": false`; null when it does not. */
export function findRefusal({ received, sent }: Pick<NetworkRecord, "received" | "sent">): string | null {
  if (received === null || isQuery(sent)) return null;
  const { data } = received;
  // A batch is refused when each of its parts is.
  const parts = Array.isArray(data) ? data : [data];
  const own = sent?.values.map(({ value }) => value) ?? [];
  const refusals = parts.map((part) => (isRecord(part) ? (findRefusalIn(part) ?? findErrorCode(part, own)) : null));
  return refusals.includes(null) ? null : (refusals[0] ?? null);
}

type Properties = Readonly<Record<string, unknown>>;

function findRefusalIn(response: Properties): string | null {
  const own = findSign(response);
  const results = isRecord(response["data"]) ? Object.values(response["data"]) : [];
  const isGraphQl = results.length > 0 && Object.keys(response).every((name) => GRAPHQL_NAMES.has(name));
  if (!isGraphQl) return own;
  // A GraphQL response may have errors about a part of a result that is there.
  if (own !== null) return results.every((result) => result === null) ? own : null;
  const signs = results.filter(isRecord).map((result) => findSign(result) ?? findUserErrors(result));
  return signs.find((sign) => sign !== null) ?? null;
}

const GRAPHQL_NAMES: ReadonlySet<string> = new Set(["data", "errors", "extensions"]);

function findUserErrors(result: Properties): string | null {
  return isFilled(result["userErrors"]) ? '"userErrors"' : null;
}

function findSign(response: Properties): string | null {
  for (const [name, value] of Object.entries(response)) {
    if (SUCCESS_NAME.test(name) && (value === false || value === 0 || value === "false")) return `"${name}": ${value}`;
    if (STATUS_NAME.test(name) && isFailedStatus(value)) return `"${name}": ${JSON.stringify(value)}`;
    if (/^errors?$/i.test(name) && isFilled(value)) return `"${name}"`;
  }
  return null;
}

const CODE_NAME = /^(?:code|errno|err_?code|error_?code|ret_?code)$/i;
const MESSAGE_NAME = /^(?:message|msg|err_?msg|error_?message|error|reason|detail|description)$/i;
/** What says nothing about what was made of the request. */
const FRAME_NAME = /^(?:status|timestamp|time|path|type|lang|(?:request|trace|log|correlation)_?id|success|ok)$/i;
/** 0, 200, 201, 2000, 20000: each is some site's code for success. */
const SUCCESS_CODE = /^(?:0+|2\d\d|20{3,})$/;
const SUCCESS_MESSAGE =
  /^(?:ok(?:ay)?|done|success\p{L}*|succeeded|complete[d]?|accepted|no error)\b|成功|успешно|éxito|erfolg/iu;

/**
 * A code that is none of success, with a message that does not say so either, and nothing else: what was made would be there. A
 * code and a message that the run has sent itself are its own data.
 */
function findErrorCode(response: Properties, sent: readonly string[]): string | null {
  const entries = Object.entries(response);
  const [name, code] = entries.find(([key]) => CODE_NAME.test(key)) ?? [];
  const message = entries.find(([key, value]) => MESSAGE_NAME.test(key) && typeof value === "string")?.[1];
  if (!/^-?\d+$/.test(String(code)) || SUCCESS_CODE.test(String(code)) || typeof message !== "string") return null;
  const isFrame = ([key, value]: [string, unknown]) =>
    [CODE_NAME, MESSAGE_NAME, FRAME_NAME].some((known) => known.test(key)) || isEmpty(value);
  if (!entries.every(isFrame) || message.trim() === "" || sent.includes(message)) return null;
  if (SUCCESS_MESSAGE.test(message.trim()) || (findSuccess(message) !== null && findFailure(message) === null))
    return null;
  // Some sites call success 1.
  if (String(code) === "1" && findFailure(message) === null && !hasNegation(message)) return null;
  return `"${name}": ${code}`;
}

function isEmpty(value: unknown): boolean {
  return (
    value === null || value === "" || value === false || (typeof value === "object" && Object.keys(value).length === 0)
  );
}

function isFailedStatus(value: unknown): boolean {
  return typeof value === "number"
    ? value >= 400 && value < 600
    : typeof value === "string" && FAILED_STATUS.test(value);
}

/** "error" may also be null, empty, false or 0. */
function isFilled(value: unknown): boolean {
  if (typeof value === "string") return value.trim() !== "";
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value === true;
}

function isRecord(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** GraphQL asks for data by POST as well. */
function isQuery(sent: NetworkRecord["sent"]): boolean {
  const texts = sent?.values.filter(({ name }) => name === "query").map(({ value }) => value) ?? [];
  return texts.length > 0 && texts.every((text) => /^(?:\s|#.*\n)*(?:query\b|\{)/.test(text));
}
