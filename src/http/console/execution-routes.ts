import { Type } from "typebox";
import { type ExecutionAnswer, ExecutionQuery, NewExecutionBody } from "../../contract/console/executions.ts";
import { type ExecutionRecord, toWire } from "../../executions/execution-record.ts";
import type { App, AppDependencies } from "../app.ts";
import { type ConsoleGuards, ownerOf, visitorOf } from "./console-guards.ts";

export const ExecutionPath = Type.Object({ executionId: Type.String() });

export function addExecutionRoutes(
  scope: App,
  { console: { executions } }: Pick<AppDependencies, "console">,
  { isVisitor, isOwner, mayCreate }: ConsoleGuards,
): void {
  scope.get(
    "/console/api/executions",
    { onRequest: isVisitor, schema: { hide: true, querystring: ExecutionQuery } },
    async (request) => executions.list(visitorOf(request), request.query),
  );

  scope.post(
    "/console/api/executions",
    { onRequest: [isOwner, mayCreate], schema: { hide: true, body: NewExecutionBody } },
    async (request, reply) => {
      const execution = await executions.create(ownerOf(request).id, request.body);
      request.about = { execution_id: execution.id };
      reply.code(201);
      return answer(execution);
    },
  );

  scope.get(
    "/console/api/executions/:executionId",
    { onRequest: isVisitor, schema: { hide: true, params: ExecutionPath } },
    async (request) => executions.get(visitorOf(request), request.params.executionId),
  );

  scope.post(
    "/console/api/executions/:executionId/cancel",
    { onRequest: isVisitor, schema: { hide: true, params: ExecutionPath } },
    async (request) => answer(await executions.cancel(visitorOf(request), request.params.executionId)),
  );

  scope.post(
    "/console/api/executions/:executionId/again",
    { onRequest: [isVisitor, mayCreate], schema: { hide: true, params: ExecutionPath } },
    async (request, reply) => {
      const execution = await executions.runAgain(visitorOf(request), request.params.executionId);
      reply.code(201);
      return answer(execution);
    },
  );
}

function answer(execution: ExecutionRecord): ExecutionAnswer {
  return { execution: toWire(execution) };
}
