import type { ExecutionAnswer } from "../../contract/console/executions.ts";
import { toWire } from "../../executions/execution-record.ts";
import type { App, AppDependencies } from "../app.ts";
import { type ConsoleGuards, ownerOf, visitorOf } from "./console-guards.ts";

export function addFirstErrandRoutes(
  scope: App,
  { console: { firstErrands } }: Pick<AppDependencies, "console">,
  { isOwner, mayCreate }: ConsoleGuards,
): void {
  scope.post(
    "/console/api/first-errand",
    { onRequest: [isOwner, mayCreate], schema: { hide: true } },
    async (request, reply): Promise<ExecutionAnswer> => {
      const userId = visitorOf(request).person.id;
      const execution = await firstErrands.run({ ownerId: ownerOf(request).id, userId });
      reply.code(201);
      return { execution: toWire(execution) };
    },
  );
}
