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

const READ_VERBS = wordSet("get list find search fetch lookup count");
/** As the name of an operation; a path such as /query or /load may do anything. */
const READ_OPERATIONS = wordSet("read query load view show describe select browse info");
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
  if (named.some(isText)) return named.every((name) => isText(name) && readsByName(name, true));
  const path = URL.parse(request.url)?.pathname ?? "";
  return readsByName(path.replace(/\/+$/, ""), false);
}

/** "wp.getPosts", "_search", "GetItem": the last part counts. "findOneAndUpdate" and "get_or_create" do more than read. */
function readsByName(name: string, isOperation: boolean): boolean {
  const [, last = ""] = /([^./:]*)$/.exec(name) ?? [];
  const [verb = "", ...words] = last
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);
  if (words.includes("and") || words.includes("or")) return false;
  return READ_VERBS.has(verb) || (isOperation && READ_OPERATIONS.has(verb));
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The calls in a JSON body: one object, or a batch. Empty when it is anything else. */
function parseCalls(body: string): Readonly<Record<string, unknown>>[] {
  let data: unknown;
  try {
    data = JSON.parse(body);
  } catch {
    return [];
  }
  const calls = Array.isArray(data) ? data : [data];
  return calls.every((call) => typeof call === "object" && call !== null && !Array.isArray(call)) ? calls : [];
}

/** A definition is a head and its braces; one without a keyword is a query. */
function runsQuery(document: string, operationName: unknown): boolean {
  const heads = outlineOf(document)?.split("{}") ?? [];
  if (heads.pop()?.trim() !== "") return false;
  const operations = heads
    .map((head) => head.trim().split(/[\s@]+/))
    .map(([kind, name = ""]) => ({ kind: kind === "" ? "query" : kind, name }))
    .filter(({ kind }) => kind !== "fragment");
  const wanted = isText(operationName) ? operations.filter(({ name }) => name === operationName) : operations;
  return wanted.length > 0 && wanted.every(({ kind }) => kind === "query");
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

/** What separates the messages in a request of Engine.IO, the transport below Socket.IO. */
const MESSAGE_SEPARATOR = "\u001e";

/** The messages in a request that stands for a WebSocket: Engine.IO sends them by POST before it opens one. Else null. */
export function readPolledMessages({ url, body }: Pick<UnsafeRequest, "url" | "body">): string[] | null {
  const query = URL.parse(url)?.searchParams;
  if (body === null || !query?.has("EIO") || query.get("transport") !== "polling") return null;
  return body.split(MESSAGE_SEPARATOR);
}
