import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  type Artifact,
  EVENTS_DEFAULT_LIMIT,
  type ExecutionEvent,
  type ExecutionEventPage,
} from "../contract/execution.ts";
import type { ArtifactRecord, Artifacts } from "../executions/artifacts.ts";
import type { Executions } from "../executions/executions.ts";
import { CallerError } from "../lib/errors.ts";
import { abortOnClose, holdUntilClosed, type OpenResponseLimit } from "./open-response-limit.ts";

interface EventRequest {
  executions: Executions;
  places: OpenResponseLimit;
  /** Who follows. */
  caller: string;
  connectionId: string;
  executionId: string;
  page: { after?: number; limit?: number };
  stopping: AbortSignal;
  /** Asked again before everything that a stream sends, which ends when it is false. */
  maySee?: () => Promise<boolean>;
}

const HEARTBEAT_MS = 15_000;

/** One page of an execution's events, or, for who accepts a stream, the events as they come until the last one. */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  followed: EventRequest,
): Promise<ExecutionEventPage | FastifyReply> {
  const { executions, connectionId, executionId, page: asked, stopping, maySee = async () => true } = followed;
  const { after = 0, limit = EVENTS_DEFAULT_LIMIT } = asked;
  reply.header("cache-control", "private, no-store").header("vary", "accept");
  if (!acceptsStream(request.headers.accept)) {
    const page = await executions.listEvents(connectionId, executionId, { after, limit });
    return { events: page.events, has_more: page.hasMore };
  }
  holdUntilClosed(reply, followed.places, followed.caller);
  const seen = readLastEventId(request.headers["last-event-id"]) ?? after;
  // Looked up before the first byte, so that an unknown execution is still a 404.
  await executions.get(connectionId, executionId);
  const events = executions.followEvents(connectionId, executionId, seen, abortOnClose(reply, stopping));
  // Read ahead by no more than one batch: whoever reads slowly keeps no more of ours in memory.
  return sendStream(reply, Readable.from(withHeartbeats(events, maySee), { highWaterMark: 1 }));
}

function sendStream(reply: FastifyReply, stream: Readable): FastifyReply {
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

/** A comment now and then keeps proxies from closing a quiet stream. */
async function* withHeartbeats(
  batches: AsyncGenerator<ExecutionEvent[]>,
  maySee: () => Promise<boolean>,
): AsyncGenerator<string> {
  yield ": connected\n\n";
  let next = batches.next();
  try {
    for (;;) {
      const quiet = Promise.withResolvers<null>();
      const timer = setTimeout(() => quiet.resolve(null), HEARTBEAT_MS);
      const batch = await Promise.race([next, quiet.promise]);
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
  places: OpenResponseLimit;
  /** Who downloads. */
  caller: string;
}

/** The bytes, under headers that keep what strangers made from running in our origin. */
export async function sendArtifact(
  request: FastifyRequest,
  reply: FastifyReply,
  { artifacts, artifact, places, caller }: Download,
): Promise<FastifyReply> {
  const tag = `"${artifact.sha256.toString("hex")}"`;
  reply.header("etag", tag).header("cache-control", "private, no-cache");
  if (matchesTag(request.headers["if-none-match"], tag)) return reply.code(304).send(null);
  holdUntilClosed(reply, places, caller);
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

/** RFC 6266: a name that every client reads, and the exact one for those that know how. */
function contentDisposition(name: string): string {
  const plain = name.replace(/[^\w. -]/g, "_");
  const exact = encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** Whether `If-None-Match` names the tag (RFC 9110 §13.1.2): a list, compared weakly. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(",").some((known) => known.trim() === "*" || known.trim().replace(/^W\//, "") === tag);
}
