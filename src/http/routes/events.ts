import { ExecutionPath } from "../../contract/execution.ts";
import { ExecutionEventPage, ListEventsQuery } from "../../contract/execution-event.ts";
import type { App, AppDependencies } from "../app.ts";
import { answerEvents } from "../event-answer.ts";
import { type ConnectionGuards, connectionOf } from "../plugins/bearer.ts";
import { CONNECTION_ERRORS, errorAnswers } from "./error-answers.ts";

export function addEventRoutes(
  app: App,
  { executions, places, stopping }: AppDependencies,
  { mayRead }: ConnectionGuards,
): void {
  app.get(
    "/v1/applications/:applicationId/executions/:executionId/events",
    {
      config: { cors: true },
      onRequest: mayRead,
      schema: {
        tags: ["Executions"],
        security: [{ connection: [] }],
        operationId: "listExecutionEvents",
        summary: "Follow an execution's events",
        description:
          "JSON pages, or, with `Accept: text/event-stream`, the events as they come: the stream ends after the last one, and `Last-Event-ID` continues a broken one.",
        params: ExecutionPath,
        querystring: ListEventsQuery,
        response: {
          200: ExecutionEventPage,
          ...errorAnswers(...CONNECTION_ERRORS, "INVALID_REQUEST", "EXECUTION_NOT_FOUND"),
        },
      },
    },
    async (request, reply) =>
      answerEvents(request, reply, {
        executions,
        places: places.following,
        caller: connectionOf(request).id,
        connectionId: connectionOf(request).id,
        executionId: request.params.executionId,
        page: request.query,
        stopping,
      }),
  );
}
