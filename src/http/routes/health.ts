import { CallerError } from "../../lib/caller-error.ts";
import type { App, AppDependencies } from "../app.ts";

export function addHealthRoutes(app: App, { checkReady, stopping, logger }: AppDependencies): void {
  app.get("/healthz", { schema: { hide: true } }, async () => ({ status: "ok" }));

  app.get("/readyz", { schema: { hide: true } }, async () => {
    if (stopping.aborted) throw new CallerError("UNAVAILABLE", "The service is stopping.", { retryAfterSeconds: 1 });
    try {
      await checkReady();
    } catch (error) {
      logger.warn({ err: error }, "not ready");
      throw new CallerError("UNAVAILABLE", "The database cannot be reached.", { retryAfterSeconds: 1, cause: error });
    }
    return { status: "ready" };
  });
}
