import { createHash } from "node:crypto";
import type { ReceivedJson } from "./received-json.ts";
import type { SentBody } from "./sent-body.ts";

/** One request of a page, a frame or a worker. Each hop of a redirect is a separate request. */
export interface NetworkRecord {
  /** 1, 2, 3 … within the session. */
  readonly number: number;
  readonly method: string;
  readonly url: string;
  /** As Playwright names it: document, fetch, xhr, ping, websocket, … */
  readonly resourceType: string;
  readonly isNavigation: boolean;
  /** Whether it went to an allowed host, or to the site of the page that sent it. */
  readonly isFirstParty: boolean;
  readonly startedAt: Date;
  /** Null: no response (yet). */
  readonly status: number | null;
  /** Why there is no response, in words. */
  readonly failure: string | null;
  /** What stopped the request from reaching its host, so that it has changed nothing; null when nothing did. */
  readonly blockedBy: "read_only" | "allow_list" | "gate" | null;
  /** Whether its method may change something, but it says itself that it only reads: GraphQL, JSON-RPC and the like. */
  readonly isNamedAsRead: boolean;
  /** Of the body, to recognise a repetition; null when there is none. */
  readonly bodyHash: string | null;
  /** What a write carried; null for other requests and without a body. In memory only: JSON does not show it. */
  readonly sent: SentBody | null;
  /** The JSON that the site responded to a write with; null when it is something else. In memory only as well. */
  readonly received: ReceivedJson | null;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether the method is one that may change something on the server. */
export function isWrite({ method }: { method: string }): boolean {
  return !SAFE_METHODS.has(method.toUpperCase());
}

/** To compare bodies without keeping them. */
export function hashBody(body: Buffer | string | null): string | null {
  return body === null ? null : createHash("sha256").update(body).digest("hex");
}
