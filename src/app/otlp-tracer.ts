import {
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { describeError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { formatTraceparent, parseTraceparent, type Span, type SpanAttributes, type Tracer } from "../lib/tracing.ts";
import { withTimeout } from "../lib/waiting.ts";

interface TracerOptions {
  /** The base URL, to which the OTLP paths are appended. */
  endpoint: string;
  samplePercent: number;
  /** Resource attributes of this process. */
  service: Record<string, string>;
  logger: Logger;
}

const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER };
/** Spans beyond this number are dropped until some have been sent. */
const MAX_QUEUED_SPANS = 4_096;
const MAX_BATCH = 512;
const SEND_EVERY_MS = 1_000;
const SEND_TIMEOUT_MS = 3_000;
const SHUTDOWN_TIMEOUT_MS = 2_000;
const MAX_VALUE_LENGTH = 200;

/** Sends traces to a collector. While the collector is down, traces are dropped and nothing else suffers. */
export function createOtlpTracer(options: TracerOptions): Tracer & AsyncDisposable {
  const provider = createProvider(options);
  const tracer = provider.getTracer("errand");
  return {
    start(name, { parent, kind, agoMs = 0, attributes }) {
      const startTime = Date.now() - agoMs;
      return toSpan(tracer, tracer.startSpan(name, { kind: KINDS[kind], startTime, attributes }, contextOf(parent)));
    },
    async [Symbol.asyncDispose]() {
      // A failure to send was already logged.
      await withTimeout(
        provider.shutdown().catch(() => {}),
        SHUTDOWN_TIMEOUT_MS,
      );
    },
  };
}

function createProvider({ endpoint, samplePercent, service, logger }: TracerOptions): TracerProvider {
  const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
  const sender = new OTLPTraceExporter({ url, timeoutMillis: SEND_TIMEOUT_MS, concurrencyLimit: 2 });
  const exporter: SpanExporter = watchDelivery(sender, logger);
  return new TracerProvider({
    resource: resourceFromAttributes(service),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplePercent / 100) }),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_LENGTH },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: MAX_QUEUED_SPANS,
        maxExportBatchSize: MAX_BATCH,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: SEND_TIMEOUT_MS * 2,
      }),
    ],
  });
}

function contextOf(traceparent: string | null) {
  const parent = parseTraceparent(traceparent);
  if (parent === null) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = parent;
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function toSpan(tracer: OtelTracer, span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return {
    traceId: isSampled ? traceId : null,
    traceparent: formatTraceparent({ traceId, spanId, isSampled }),
    startChild(name: string, attributes: SpanAttributes) {
      return toSpan(tracer, tracer.startSpan(name, { attributes }, trace.setSpan(ROOT_CONTEXT, span)));
    },
    set: (attributes) => void span.setAttributes(attributes),
    fail: (reason) => void span.setStatus({ code: SpanStatusCode.ERROR, message: reason }),
    end: () => span.end(),
  };
}

/** Wraps an exporter to log once when deliveries fail, and once when they work again. */
function watchDelivery(exporter: SpanExporter, logger: Logger): SpanExporter {
  let isFailing = false;

  function note(error: Error | null): void {
    if (error !== null && !isFailing) {
      logger.warn({ reason: describeError(error) }, "Cannot deliver traces; dropping them until the collector is back");
    }
    if (error === null && isFailing) logger.info("Traces are delivered again");
    isFailing = error !== null;
  }

  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        // 0 is the library's code for success.
        note(result.code === 0 ? null : (result.error ?? new Error("The collector rejected the traces")));
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
