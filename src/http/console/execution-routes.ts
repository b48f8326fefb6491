import { Type } from "typebox";
import {
  type ConsoleLiveLink,
  ExecutionQuery,
  type ExecutionResponse,
  NewExecutionBody,
  StepsBody,
} from "../../contract/console/executions.ts";
import { ListEventsQuery } from "../../contract/execution-event.ts";
import { AnswerInteraction } from "../../contract/interaction.ts";
import type { ArtifactRecord } from "../../executions/artifacts.ts";
import { type ExecutionRecord, toWire } from "../../executions/execution.ts";
import type { App, AppDependencies } from "../dependencies.ts";
import { sendArtifact, sendEvents, toArtifactWire } from "../execution-responses.ts";
import { webHeaders } from "../plugins/request-origin.ts";
import { type ConsoleGuards, ownerOf, visitorOf } from "./guards.ts";

const ExecutionPath = Type.Object({ executionId: Type.String() });

type ExecutionDependencies = Pick<
  AppDependencies,
  "console" | "executions" | "artifacts" | "live" | "people" | "openResponses" | "stopping"
>;

/** Errands in the console: of a person's own connections, and of the applications they own. */
export function addExecutionRoutes(scope: App, dependencies: ExecutionDependencies, guards: ConsoleGuards): void {
  const { executions, firstErrands, readSteps } = dependencies.console;
  const { requireVisitor, requireOwner, limitCreates } = guards;

  scope.get(
    "/console/api/executions",
    { onRequest: requireVisitor, schema: { hide: true, querystring: ExecutionQuery } },
    async (request) => executions.list(visitorOf(request), request.query),
  );

  scope.post(
    "/console/api/executions",
    { onRequest: [requireOwner, limitCreates], schema: { hide: true, body: NewExecutionBody } },
    async (request, reply) => {
      const execution = await executions.create(ownerOf(request).id, request.body);
      request.about = { execution_id: execution.id };
      reply.code(201);
      return toResponse(execution);
    },
  );

  scope.post(
    "/console/api/steps",
    { onRequest: requireOwner, schema: { hide: true, body: StepsBody } },
    async (request) => readSteps(request.body.prompt),
  );

  scope.get(
    "/console/api/executions/:executionId",
    { onRequest: requireVisitor, schema: { hide: true, params: ExecutionPath } },
    async (request) => executions.get(visitorOf(request), request.params.executionId),
  );

  scope.post(
    "/console/api/executions/:executionId/cancel",
    { onRequest: requireVisitor, schema: { hide: true, params: ExecutionPath } },
    async (request) => toResponse(await executions.cancel(visitorOf(request), request.params.executionId)),
  );

  scope.post(
    "/console/api/executions/:executionId/live",
    { onRequest: requireVisitor, schema: { hide: true, params: ExecutionPath } },
    async (request): Promise<ConsoleLiveLink> => {
      const visitor = visitorOf(request);
      const { id, connectionId } = await executions.getVisible(visitor, request.params.executionId);
      // The browser is signed in as the user. The application's owner only watches.
      const isUser = (await dependencies.console.interactions.findRole(visitor, id)) === "user";
      const execution = await dependencies.executions.get(connectionId, id);
      return { ...dependencies.live.links.create(execution, isUser ? "user" : "watch"), may_take_over: isUser };
    },
  );

  scope.post(
    "/console/api/executions/:executionId/again",
    { onRequest: [requireVisitor, limitCreates], schema: { hide: true, params: ExecutionPath } },
    async (request, reply) => {
      const execution = await executions.runAgain(visitorOf(request), request.params.executionId);
      reply.code(201);
      return toResponse(execution);
    },
  );

  scope.post(
    "/console/api/first-errand",
    { onRequest: [requireOwner, limitCreates], schema: { hide: true } },
    async (request, reply) => {
      const userId = visitorOf(request).person.id;
      const execution = await firstErrands.run({ ownerId: ownerOf(request).id, userId });
      reply.code(201);
      return toResponse(execution);
    },
  );

  addInteractionRoutes(scope, dependencies, guards);
  addEventRoute(scope, dependencies, guards);
  addArtifactRoutes(scope, dependencies, guards);
}

function addInteractionRoutes(
  scope: App,
  { console: { interactions } }: ExecutionDependencies,
  { requireVisitor }: ConsoleGuards,
): void {
  const url = "/console/api/executions/:executionId/interaction";

  scope.get(url, { onRequest: requireVisitor, schema: { hide: true, params: ExecutionPath } }, async (request) => ({
    interaction: await interactions.findOpen(visitorOf(request), request.params.executionId),
  }));

  scope.post(
    url,
    { onRequest: requireVisitor, schema: { hide: true, params: ExecutionPath, body: AnswerInteraction } },
    async (request) => ({
      interaction: await interactions.answer(visitorOf(request), request.params.executionId, request.body),
    }),
  );
}

function toResponse(execution: ExecutionRecord): ExecutionResponse {
  return { execution: toWire(execution) };
}

function addEventRoute(
  scope: App,
  { console, executions, people, openResponses, stopping }: ExecutionDependencies,
  { requireVisitor }: ConsoleGuards,
): void {
  /** The session may end, or the right be withdrawn, while a stream is open. */
  async function maySee(headers: Headers, personId: string, executionId: string): Promise<boolean> {
    const person = await people.findSignedIn(headers);
    if (person?.id !== personId) return false;
    return console.executions.maySee(await console.visitors.identify(person), executionId);
  }

  scope.get(
    "/console/api/executions/:executionId/events",
    { onRequest: requireVisitor, schema: { hide: true, params: ExecutionPath, querystring: ListEventsQuery } },
    async (request, reply) => {
      const { id, connectionId } = await console.executions.getVisible(visitorOf(request), request.params.executionId);
      const headers = webHeaders(request);
      const personId = visitorOf(request).person.id;
      return sendEvents(request, reply, {
        executions,
        limit: openResponses.following,
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

const HARMLESS_TYPE = /^(image\/(png|jpeg|webp|gif)|text\/plain|application\/json)(;|$)/i;
const ArtifactPath = Type.Object({ ...ExecutionPath.properties, artifactId: Type.String() });

function addArtifactRoutes(
  scope: App,
  { console: { executions }, artifacts, openResponses }: ExecutionDependencies,
  { requireVisitor }: ConsoleGuards,
): void {
  scope.get(
    "/console/api/executions/:executionId/artifacts",
    { onRequest: requireVisitor, schema: { hide: true, params: ExecutionPath } },
    async (request) => {
      const { id, connectionId } = await executions.getVisible(visitorOf(request), request.params.executionId);
      return { artifacts: (await artifacts.list(connectionId, id)).map(toArtifactWire) };
    },
  );

  scope.get(
    "/console/api/executions/:executionId/artifacts/:artifactId",
    { onRequest: requireVisitor, schema: { hide: true, params: ArtifactPath } },
    async (request, reply) => {
      const { executionId, artifactId } = request.params;
      const { id, connectionId } = await executions.getVisible(visitorOf(request), executionId);
      const artifact = makeInert(await artifacts.get(connectionId, id, artifactId));
      const caller = visitorOf(request).person.id;
      return sendArtifact(request, reply, { artifacts, artifact, limit: openResponses.downloading, caller });
    },
  );
}

/** A page can request this URL with the cookie, as a script or a frame. Everything but pictures and text is sent as bytes. */
function makeInert(artifact: ArtifactRecord): ArtifactRecord {
  return HARMLESS_TYPE.test(artifact.contentType) ? artifact : { ...artifact, contentType: "application/octet-stream" };
}
