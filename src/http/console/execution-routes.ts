import { Type } from "typebox";
import { ExecutionQuery, type ExecutionResponse, NewExecutionBody } from "../../contract/console/executions.ts";
import { ListEventsQuery } from "../../contract/execution.ts";
import type { ArtifactRecord } from "../../executions/artifacts.ts";
import { type ExecutionRecord, toWire } from "../../executions/execution.ts";
import type { App, AppDependencies } from "../app.ts";
import { sendArtifact, sendEvents, toArtifactWire } from "../execution-responses.ts";
import { webHeaders } from "../plugins/request-origin.ts";
import { type ConsoleGuards, ownerOf, visitorOf } from "./guards.ts";

const ExecutionPath = Type.Object({ executionId: Type.String() });

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
      return toResponse(execution);
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
    async (request) => toResponse(await executions.cancel(visitorOf(request), request.params.executionId)),
  );

  scope.post(
    "/console/api/executions/:executionId/again",
    { onRequest: [isVisitor, mayCreate], schema: { hide: true, params: ExecutionPath } },
    async (request, reply) => {
      const execution = await executions.runAgain(visitorOf(request), request.params.executionId);
      reply.code(201);
      return toResponse(execution);
    },
  );
}

function toResponse(execution: ExecutionRecord): ExecutionResponse {
  return { execution: toWire(execution) };
}

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
      return sendEvents(request, reply, {
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

const INERT = /^(image\/(png|jpeg|webp|gif)|text\/plain|application\/json)(;|$)/i;
const ArtifactPath = Type.Object({ ...ExecutionPath.properties, artifactId: Type.String() });

export function addArtifactRoutes(
  scope: App,
  { console: { executions }, artifacts, places }: Pick<AppDependencies, "console" | "artifacts" | "places">,
  { isVisitor }: ConsoleGuards,
): void {
  scope.get(
    "/console/api/executions/:executionId/artifacts",
    { onRequest: isVisitor, schema: { hide: true, params: ExecutionPath } },
    async (request) => {
      const { id, connectionId } = await executions.see(visitorOf(request), request.params.executionId);
      return { artifacts: (await artifacts.list(connectionId, id)).map(toArtifactWire) };
    },
  );

  scope.get(
    "/console/api/executions/:executionId/artifacts/:artifactId",
    { onRequest: isVisitor, schema: { hide: true, params: ArtifactPath } },
    async (request, reply) => {
      const { executionId, artifactId } = request.params;
      const { id, connectionId } = await executions.see(visitorOf(request), executionId);
      const artifact = makeInert(await artifacts.get(connectionId, id, artifactId));
      const caller = visitorOf(request).person.id;
      return sendArtifact(request, reply, { artifacts, artifact, places: places.downloading, caller });
    },
  );
}

/** With a cookie it can be asked for as a script or a frame: whatever is not shown as a picture or text is only bytes. */
function makeInert(artifact: ArtifactRecord): ArtifactRecord {
  return INERT.test(artifact.contentType) ? artifact : { ...artifact, contentType: "application/octet-stream" };
}

export function addFirstErrandRoutes(
  scope: App,
  { console: { firstErrands } }: Pick<AppDependencies, "console">,
  { isOwner, mayCreate }: ConsoleGuards,
): void {
  scope.post(
    "/console/api/first-errand",
    { onRequest: [isOwner, mayCreate], schema: { hide: true } },
    async (request, reply): Promise<ExecutionResponse> => {
      const userId = visitorOf(request).person.id;
      const execution = await firstErrands.run({ ownerId: ownerOf(request).id, userId });
      reply.code(201);
      return { execution: toWire(execution) };
    },
  );
}
