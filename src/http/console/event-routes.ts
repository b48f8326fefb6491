import { ListEventsQuery } from "../../contract/execution-event.ts";
import type { App, AppDependencies } from "../app.ts";
import { answerEvents } from "../event-answer.ts";
import { type ConsoleGuards, visitorOf } from "./console-guards.ts";
import { ExecutionPath } from "./execution-routes.ts";

export function addEventRoutes(
  scope: App,
  { console, executions, stopping }: Pick<AppDependencies, "console" | "executions" | "stopping">,
  { isVisitor }: ConsoleGuards,
): void {
  scope.get(
    "/console/api/executions/:executionId/events",
    { onRequest: isVisitor, schema: { hide: true, params: ExecutionPath, querystring: ListEventsQuery } },
    async (request, reply) => {
      const { id, connectionId } = await console.executions.see(visitorOf(request), request.params.executionId);
      return answerEvents(request, reply, { executions, connectionId, executionId: id, page: request.query, stopping });
    },
  );
}
