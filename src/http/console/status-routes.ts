import type { Status } from "../../contract/console/account.ts";
import type { App, AppDependencies } from "../app.ts";
import type { ConsoleGuards } from "./console-guards.ts";

export function addStatusRoutes(
  scope: App,
  { console: { status } }: Pick<AppDependencies, "console">,
  { isOperator }: ConsoleGuards,
): void {
  scope.get("/console/api/status", { onRequest: isOperator, schema: { hide: true } }, async (): Promise<Status> => {
    return { checks: await status.check() };
  });
}
