/** One span's place in a trace, as the header `traceparent` of W3C Trace Context carries it. */
export interface TraceParent {
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
