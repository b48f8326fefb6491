import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Artifact } from "../contract/execution.ts";
import { EVENTS_DEFAULT_LIMIT, type ExecutionEvent, type ExecutionEventPage } from "../contract/execution-event.ts";
import type { ArtifactRecord, Artifacts } from "../executions/artifacts.ts";
import type { Executions } from "../executions/executions.ts";
import { CallerError } from "../lib/errors.ts";
import { abortOnClose, holdUntilClosed, type OpenResponseLimit } from "./open-response-limit.ts";

/** Responses that the API and the console share: an execution's events and its artifacts. */
interface EventRequest {
  executions: Executions;
  limit: OpenResponseLimit;
  /** Whose limit it counts against. */
  caller: string;
  connectionId: string;
  executionId: string;
  page: { after?: number; limit?: number };
  stopping: AbortSignal;
  /** Checked before each part of a stream. The stream ends when it returns false. */
  maySee?: () => Promise<boolean>;
}

const HEARTBEAT_MS = 15_000;

/** One page of an execution's events; or, for clients that accept a stream, the events as they occur, to the last one. */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  options: EventRequest,
): Promise<ExecutionEventPage | FastifyReply> {
  const { executions, connectionId, executionId, page: range, stopping, maySee = async () => true } = options;
  const { after = 0, limit = EVENTS_DEFAULT_LIMIT } = range;
  reply.header("cache-control", "private, no-store").header("vary", "accept");
  if (!acceptsStream(request.headers.accept)) {
    const page = await executions.listEvents(connectionId, executionId, { after, limit });
    return { events: page.events, has_more: page.hasMore };
  }
  holdUntilClosed(reply, options.limit, options.caller);
  const lastSeenId = readLastEventId(request.headers["last-event-id"]) ?? after;
  // Before the first byte, so that an unknown execution is still a 404.
  const events = await executions.followEvents(connectionId, executionId, lastSeenId, abortOnClose(reply, stopping));
  // At most one batch is buffered, so that a slow reader does not use up memory.
  const stream = Readable.from(withHeartbeats(events, maySee), { highWaterMark: 1 });
  return reply.type("text/event-stream; charset=utf-8").header("x-accel-buffering", "no").send(stream);
}

function acceptsStream(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes("text/event-stream") ?? false;
}

function readLastEventId(header: string | string[] | undefined): number | null {
  if (header === undefined) return null;
  if (typeof header !== "string" || !/^\d{1,9}$/.test(header)) {
    throw new CallerError("INVALID_REQUEST", "The header Last-Event-ID must be the id of an event.", {
      details: [{ path: "Last-Event-ID", message: "must be the id of an event" }],
    });
  }
  return Number(header);
}

/** A comment every 15 seconds keeps proxies from closing an idle stream. */
async function* withHeartbeats(
  batches: AsyncGenerator<ExecutionEvent[]>,
  maySee: () => Promise<boolean>,
): AsyncGenerator<string> {
  yield ": connected\n\n";
  let next = batches.next();
  try {
    for (;;) {
      const idle = Promise.withResolvers<null>();
      const timer = setTimeout(() => idle.resolve(null), HEARTBEAT_MS);
      const batch = await Promise.race([next, idle.promise]);
      clearTimeout(timer);
      if (batch?.done || !(await maySee())) return;
      if (batch === null) {
        yield ": still here\n\n";
      } else {
        yield batch.value.map(formatEvent).join("");
        next = batches.next();
      }
    }
  } finally {
    await batches.return(undefined);
  }
}

function formatEvent({ id, type, at, data }: ExecutionEvent): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, at, data })}\n\n`;
}

interface Download {
  artifacts: Artifacts;
  artifact: ArtifactRecord;
  limit: OpenResponseLimit;
  /** Whose limit it counts against. */
  caller: string;
}

/** The bytes, with headers that keep content from other sites from running in our origin. */
export async function sendArtifact(
  request: FastifyRequest,
  reply: FastifyReply,
  { artifacts, artifact, limit, caller }: Download,
): Promise<FastifyReply> {
  const tag = `"${artifact.sha256.toString("hex")}"`;
  reply.header("etag", tag).header("cache-control", "private, no-cache");
  if (matchesTag(request.headers["if-none-match"], tag)) return reply.code(304).send(null);
  holdUntilClosed(reply, limit, caller);
  const content = await artifacts.open(artifact);
  return reply
    .type(artifact.contentType)
    .header("content-length", artifact.bytes)
    .header("content-disposition", contentDisposition(artifact.name))
    .header("x-content-type-options", "nosniff")
    .header("content-security-policy", "sandbox; default-src 'none'")
    .send(content);
}

export function toArtifactWire(artifact: ArtifactRecord): Artifact {
  return {
    id: artifact.id,
    kind: artifact.kind,
    name: artifact.name,
    content_type: artifact.contentType,
    bytes: artifact.bytes,
    sha256: artifact.sha256.toString("hex"),
    created_at: artifact.createdAt.toISOString(),
  };
}

/** RFC 6266: a plain name that every client understands, and the exact one for those that support it. */
function contentDisposition(name: string): string {
  const plain = name.replace(/[^\w. -]/g, "_");
  const exact = encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** Whether `If-None-Match` contains the tag (RFC 9110 §13.1.2). It is a list; the comparison is weak. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(",").some((known) => known.trim() === "*" || known.trim().replace(/^W\//, "") === tag);
}
