import type { Observation } from "../../browser/observation/observation.ts";
import type { NetworkRecord } from "../../browser/session/network-record.ts";
import { toWords } from "../../browser/session/read-request.ts";
import type { HeldRequest } from "../../browser/session/write-interceptor.ts";
import { readText } from "../grounding/page-text.ts";
import { findReferences } from "../grounding/references.ts";
import type { Operation } from "./operation.ts";
import type { Amount } from "./people.ts";

/** Something lasting that was agreed to, and what was sent for it. */
export interface Commit {
  /** What it is, in the planner's words. */
  readonly sentence: string;
  readonly amount: Amount | null;
  readonly recipient: string | null;
  /** Whether it lasts, as opposed to filling a cart or going on in a form. */
  readonly isFinal: boolean;
  readonly requests: SentRequest[];
  /** The site's own number for it; null when the page states none. */
  reference: string | null;
}

/** A request that was let through. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly bodyHash: string | null;
  /** What it does, and what it carries without tokens. */
  readonly kind: string;
  readonly content: string;
}

/** Values that differ each time the same is sent. */
const TOKEN_NAME = /token|csrf|nonce|idempotency|request_?id|timestamp|^_|^ts$|^time$/i;
const TOKEN_VALUE = /^(?:[\da-f]{16,}|[\da-f]{8}-[\da-f-]{27}|1[4-9]\d{8,11}|(?=.*\d)(?=.*[A-Za-z])[\w-]{20,})$/i;

const IDENTIFIERS = new Set(["id", "ids", "uuid", "guid", "uid", "key", "keys"]);
const MADE_BY_PAGES = new Set(["request", "client", "mutation", "correlation", "trace", "temp", "local"]);

/** Whether a value says which item is meant, however random it looks. Pages also make up identifiers for each request. */
function isIdentifier(name: string): boolean {
  const words = toWords(name);
  return IDENTIFIERS.has(words.at(-1) ?? "") && !words.some((word) => MADE_BY_PAGES.has(word));
}

export function toSent({ method, url, bodyHash }: HeldRequest, { kind, values }: Operation): SentRequest {
  const content = values.filter(
    ({ name, value }) => !TOKEN_NAME.test(name) && (isIdentifier(name) || !TOKEN_VALUE.test(value)),
  );
  return {
    method,
    url: withoutFragment(url),
    bodyHash,
    kind,
    // A body that cannot be read is the same only if all of it is.
    content: JSON.stringify(values.length === 0 ? bodyHash : content.map(({ name, value }) => [name, value])),
  };
}

export function withoutFragment(url: string): string {
  return url.split("#")[0] ?? url;
}

const ID = /^(?:\d+|[\da-f]{8}-[\da-f-]{27}|(?=.*\d)[\w-]{6,})$/i;

/** The same for every request of its kind: "POST shop.example/orders/:id/cancel". */
export function shapeOf({ method, url }: { readonly method: string; readonly url: string }): string {
  const { host = "", pathname = "/" } = URL.parse(url) ?? {};
  const path = pathname.split("/").map((part) => (ID.test(part) ? ":id" : part));
  return `${method} ${host}${path.join("/")}`;
}

/** The commit that a recorded request belongs to. */
export function findCommit(commits: readonly Commit[], record: NetworkRecord): Commit | null {
  const exact = commits.find(({ requests }) => requests.some((sent) => isSame(sent, record)));
  const alike = (sent: SentRequest) => isSame({ ...sent, bodyHash: record.bodyHash }, record);
  return exact ?? commits.find(({ requests }) => requests.some(alike)) ?? null;
}

function isSame(sent: SentRequest, { method, url, bodyHash }: NetworkRecord): boolean {
  return sent.method === method && sent.url === withoutFragment(url) && sent.bodyHash === bodyHash;
}

const MAX_TEXT = 20_000;

/** A number that the page gives to what was done, and did not show before. */
export function findReference({ root }: Observation, before: Observation): string | null {
  const earlier = readText(before.root);
  const found = findReferences(readText(root).slice(0, MAX_TEXT));
  return found.find((reference) => !earlier.includes(reference)) ?? null;
}
