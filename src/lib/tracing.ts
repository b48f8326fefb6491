import { AsyncLocalStorage } from "node:async_hooks";
import { CallerError } from "./errors.ts";

/**
 * What a span says about its work: ids, names of ours, states and numbers. Never what a person, a page or a model wrote, and
 * no address with a query.
 */
export type SpanAttributes = Record<string, string | number | boolean>;

/** A stretch of work within a trace. */
export interface Span {
  /** For the log; null when nobody keeps this trace. */
  readonly traceId: string | null;
  /** For whoever continues the trace elsewhere. */
  readonly traceparent: string;
  startChild(name: string, attributes: SpanAttributes): Span;
  set(attributes: SpanAttributes): void;
  /** Marks its work as failed; `reason` is a word of ours. */
  fail(reason: string): void;
  end(): void;
}

/** Where traces begin, or go on from another process. */
export interface Tracer {
  /** Null when there are no traces. */
  start(name: string, options: SpanOptions): Span | null;
}

interface SpanOptions {
  /** The `traceparent` of whoever asked for the work, if they have one. */
  parent: string | null;
  kind: "server" | "consumer";
  /** How long ago the work began. */
  agoMs?: number;
  attributes: SpanAttributes;
}

export const NO_TRACES: Tracer = { start: () => null };

const current = new AsyncLocalStorage<Span>();

/** Does work as a part of the span, and ends the span with it. */
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

/** Does a part of the work that is under way as a span of its own. Without a trace it costs nothing. */
export function inSpan<Result>(
  name: string,
  attributes: SpanAttributes,
  work: (span: Span | null) => Promise<Result>,
): Promise<Result> {
  return withSpan(current.getStore()?.startChild(name, attributes) ?? null, work);
}

/** Its message may repeat what somebody wrote. */
function errorLabel(error: unknown): string {
  if (error instanceof CallerError) return error.code;
  return error instanceof Error ? error.name : "thrown";
}

/** One span's place in a trace, as the header `traceparent` of W3C Trace Context carries it. */
interface TraceParent {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

// Later versions may have more fields behind these four; version ff is forbidden, and so are ids of zeros.
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Null for whatever is not one: the trace then begins here. */
export function parseTraceparent(text: string | null | undefined): TraceParent | null {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (version === "00" && more !== undefined) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}
