import { ListEventsQuery } from "../../contract/execution-event.ts";
import type { App, AppDependencies } from "../app.ts";
import { answerEvents } from "../event-answer.ts";
import { webHeaders } from "../pages/web-headers.ts";
import { type ConsoleGuards, visitorOf } from "./console-guards.ts";
import { ExecutionPath } from "./execution-routes.ts";

export function addEventRoutes(
  scope: App,
  {
    console,
    executions,
    people,
    places,
    stopping,
  }: Pick<AppDependencies, "console" | "executions" | "people" | "places" | "stopping">,
  { isVisitor }: ConsoleGuards,
): void {
  /** Sessions end, and rights are taken away, while a stream is open. */
  async function maySee(headers: Headers, personId: string, executionId: string): Promise<boolean> {
    const person = await people.findSignedIn(headers);
    if (person?.id !== personId) return false;
    return console.executions.maySee(await console.visitors.welcome(person), executionId);
  }

  scope.get(
    "/console/api/executions/:executionId/events",
    { onRequest: isVisitor, schema: { hide: true, params: ExecutionPath, querystring: ListEventsQuery } },
    async (request, reply) => {
      const { id, connectionId } = await console.executions.see(visitorOf(request), request.params.executionId);
      const headers = webHeaders(request);
      const personId = visitorOf(request).person.id;
      return answerEvents(request, reply, {
        executions,
        places: places.following,
        caller: personId,
        connectionId,
        executionId: id,
        page: request.query,
        stopping,
        maySee: () => maySee(headers, personId, id),
      });
    },
  );
}
