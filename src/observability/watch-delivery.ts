import type { SpanExporter } from "@opentelemetry/sdk-trace";
import { describeError } from "../lib/describe-error.ts";
import type { Logger } from "../lib/logger.ts";

/** The same exporter, which says once that traces do not arrive, and once that they do again. */
export function watchDelivery(exporter: SpanExporter, logger: Logger): SpanExporter {
  let isFailing = false;

  function note(error: Error | null): void {
    if (error !== null && !isFailing) {
      logger.warn({ reason: describeError(error) }, "traces cannot be delivered, and are dropped until they can be");
    }
    if (error === null && isFailing) logger.info("traces are delivered again");
    isFailing = error !== null;
  }

  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        // The library's code for success is 0.
        note(result.code === 0 ? null : (result.error ?? new Error("the collector refused them")));
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
