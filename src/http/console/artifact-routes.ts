import { Type } from "typebox";
import type { ArtifactRecord } from "../../executions/artifact-store.ts";
import type { App, AppDependencies } from "../app.ts";
import { answerArtifact, artifactToWire } from "../artifact-answer.ts";
import { type ConsoleGuards, visitorOf } from "./console-guards.ts";
import { ExecutionPath } from "./execution-routes.ts";

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
      return { artifacts: (await artifacts.list(connectionId, id)).map(artifactToWire) };
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
      return answerArtifact(request, reply, { artifacts, artifact, places: places.downloading, caller });
    },
  );
}

/** With a cookie it can be asked for as a script or a frame: whatever is not shown as a picture or text is only bytes. */
function makeInert(artifact: ArtifactRecord): ArtifactRecord {
  return INERT.test(artifact.contentType) ? artifact : { ...artifact, contentType: "application/octet-stream" };
}
