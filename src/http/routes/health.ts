import { CallerError } from "../../lib/caller-error.ts";
import type { App, AppDependencies } from "../app.ts";

export function addHealthRoutes(
  app: App,
  { readiness, stopping, logger }: Pick<AppDependencies, "readiness" | "stopping" | "logger">,
): void {
  app.get("/healthz", { schema: { hide: true } }, async () => ({ status: "ok" }));

  app.get("/readyz", { schema: { hide: true } }, async () => {
    if (stopping.aborted) throw new CallerError("UNAVAILABLE", "The service is stopping.", { retryAfterSeconds: 1 });
    for (const [complaint, check] of Object.entries(readiness)) {
      try {
        await check();
      } catch (error) {
        logger.warn({ err: error }, "not ready");
        throw new CallerError("UNAVAILABLE", complaint, { retryAfterSeconds: 1, cause: error });
      }
    }
    return { status: "ready" };
  });
}
