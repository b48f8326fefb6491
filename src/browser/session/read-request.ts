import { parseJson, type SocketMessage } from "./socket-messages.ts";

/** A request with an unsafe method, as far as it tells what it is for. */
export interface UnsafeRequest {
  readonly url: string;
  readonly body: string | null;
  readonly contentType: string | null;
}

const MAX_CHARACTERS = 200_000;

/** Whether the body is a GraphQL document, or a batch of them, that would run queries only. */
export function isGraphqlQuery({ body, contentType }: UnsafeRequest): boolean {
  if (body === null || body.length > MAX_CHARACTERS) return false;
  if (/^application\/graphql\b/i.test(contentType ?? "")) return runsQuery(body, null);
  const calls = parseCalls(body);
  return (
    calls.length > 0 && calls.every(({ query, operationName }) => isText(query) && runsQuery(query, operationName))
  );
}

const READ_VERBS = "get list find search fetch lookup count";
/** A path such as /query or /load may do anything. */
const OPERATION_VERBS = `${READ_VERBS} read query load view show describe select browse info`;
const VERBS = {
  path: wordSet(READ_VERBS),
  operation: wordSet(OPERATION_VERBS),
  /** Over a WebSocket, pages also ask for what happens from now on. */
  message: wordSet(`${OPERATION_VERBS} subscribe sub watch monitor listen ping pong heartbeat`),
};
/** Behind a noun: "torrent-get". A list may be a noun, too. */
const LAST_VERBS = wordSet("get find search fetch lookup");
/** Verbs, not nouns: with one of these in front, something else is done. */
const CHANGES = wordSet(
  "add append apply assign buy cancel clear close complete create delete disable edit enable mark move order pay post publish put remove rename reset save send set start stop submit test toggle update write",
);
/** The properties of a JSON body that name the operation, in JSON-RPC and most protocols like it. */
const OPERATION_NAMES = ["action", "method", "operation", "op", "procedure", "command", "cmd"] as const;

/**
 * Whether a request says by its own name that it only reads: the operation in its JSON body, or else the last part of its
 * path. It is the site's word and no proof, so it is enough only for a request that the run itself has sent before.
 */
export function isNamedAsRead(request: UnsafeRequest): boolean {
  if (isGraphqlQuery(request)) return true;
  const calls = request.body === null || request.body.length > MAX_CHARACTERS ? [] : parseCalls(request.body);
  const named = calls.map((call) => OPERATION_NAMES.map((name) => call[name]).find(isText));
  if (named.some(isText)) return named.every((name) => isText(name) && readsByName(name, "operation"));
  const path = URL.parse(request.url)?.pathname ?? "";
  return readsByName(path.replace(/\/+$/, ""), "path");
}

/** The same for a WebSocket message. */
export function isReadMessage({ name, data }: SocketMessage): boolean {
  if (name === null) return false;
  // GraphQL over a WebSocket subscribes to everything, also to the result of a mutation.
  const document = findDocument(data);
  if (document !== null) return runsQuery(document.query, document.operationName, SUBSCRIPTIONS);
  return readsByName(name, "message");
}

const QUERIES = wordSet("query");
const SUBSCRIPTIONS = wordSet("query subscription");

function findDocument(data: unknown): { query: string; operationName: unknown } | null {
  const { payload } = { payload: null, ...(data as object) } as { payload: unknown };
  const { query, operationName } = { query: null, operationName: null, ...(payload as object) };
  return isText(query) ? { query, operationName } : null;
}

/**
 * "wp.getPosts", "_search", "GetItem", "torrent-get": the last part counts. "findOneAndUpdate" and "get_or_create" do more than read.
 * "entriesByFolder" has no verb at all: it names what is returned.
 */
export function readsByName(name: string, what: keyof typeof VERBS): boolean {
  const [, last = ""] = /([^./:]*)$/.exec(name) ?? [];
  const [verb = "", ...words] = toWords(last);
  if (words.includes("and") || words.includes("or")) return false;
  const isNoun = what !== "path" && /[^s]s$/.test(verb) && words[0] === "by";
  const isNounFirst = words.length === 1 && LAST_VERBS.has(words[0] ?? "") && !CHANGES.has(verb);
  return isNoun || isNounFirst || VERBS[what].has(verb);
}

/** The words of a name: "getPosts", "get_posts". */
export function toWords(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The calls in a JSON body: one object, or a batch. Empty when it is anything else. */
function parseCalls(body: string): Readonly<Record<string, unknown>>[] {
  const data = parseJson(body);
  const calls = Array.isArray(data) ? data : [data];
  return calls.every((call) => typeof call === "object" && call !== null && !Array.isArray(call)) ? calls : [];
}

/** A definition is a head and its braces; one without a keyword is a query. */
function runsQuery(document: string, operationName: unknown, kinds = QUERIES): boolean {
  const heads = outlineOf(document)?.split("{}") ?? [];
  if (heads.pop()?.trim() !== "") return false;
  const operations = heads
    .map((head) => head.trim().split(/[\s@]+/))
    .map(([kind, name = ""]) => ({ kind: kind === "" ? "query" : kind, name }))
    .filter(({ kind }) => kind !== "fragment");
  const wanted = isText(operationName) ? operations.filter(({ name }) => name === operationName) : operations;
  return wanted.length > 0 && wanted.every(({ kind = "" }) => kinds.has(kind));
}

/** The document without comments, strings, arguments and the content of its outermost braces. Null when they do not match. */
function outlineOf(document: string): string | null {
  const bare = document.replace(/"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*/g, " ");
  let outline = "";
  let depth = 0;
  for (const character of bare) {
    if (character === "}" || character === ")") depth -= 1;
    if (depth < 0) return null;
    if (depth === 0 && character !== "(" && character !== ")") outline += character;
    if (character === "{" || character === "(") depth += 1;
  }
  return depth === 0 ? outline.trim() : null;
}
