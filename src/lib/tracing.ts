import { AsyncLocalStorage } from "node:async_hooks";
import { CallerError } from "./errors.ts";

/**
 * Ids, our own names, states and numbers. Never text that a person, a page or a model wrote, and no URL with a query.
 */
export type SpanAttributes = Record<string, string | number | boolean>;

/** One unit of work within a trace. */
export interface Span {
  /** For the log; null when this trace is not sampled. */
  readonly traceId: string | null;
  /** Lets another process continue the trace. */
  readonly traceparent: string;
  startChild(name: string, attributes: SpanAttributes): Span;
  set(attributes: SpanAttributes): void;
  /** Marks the work as failed. `reason` is an error code or name, never a message. */
  fail(reason: string): void;
  end(): void;
}

/** Starts traces, or continues those of another process. */
export interface Tracer {
  /** Null when tracing is off. */
  start(name: string, options: SpanOptions): Span | null;
}

interface SpanOptions {
  /** The `traceparent` of the caller, if any. */
  parent: string | null;
  kind: "server" | "consumer";
  /** How long ago the work began. */
  agoMs?: number;
  attributes: SpanAttributes;
}

export const NO_TRACES: Tracer = { start: () => null };

const current = new AsyncLocalStorage<Span>();

/** Runs the work inside the span and ends the span with it. */
export function withSpan<Result>(span: Span | null, work: (span: Span | null) => Promise<Result>): Promise<Result> {
  if (span === null) return work(null);
  return current.run(span, async () => {
    try {
      return await work(span);
    } catch (error) {
      span.fail(errorLabel(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Runs a part of the current work as a child span. Without a trace it costs nothing. */
export function inSpan<Result>(
  name: string,
  attributes: SpanAttributes,
  work: (span: Span | null) => Promise<Result>,
): Promise<Result> {
  return withSpan(current.getStore()?.startChild(name, attributes) ?? null, work);
}

/** Not the message, which may quote user input. */
function errorLabel(error: unknown): string {
  if (error instanceof CallerError) return error.code;
  return error instanceof Error ? error.name : "thrown";
}

/** A span's position in a trace, as in the `traceparent` header of W3C Trace Context. */
interface TraceParent {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

// Later versions may append fields; version ff and all-zero ids are invalid.
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Null for an invalid header: the trace then starts here. */
export function parseTraceparent(text: string | null | undefined): TraceParent | null {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (version === "00" && more !== undefined) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}
