import { Type } from "typebox";
import type { App, AppDependencies } from "../app.ts";
import { answerArtifact, artifactToWire } from "../artifact-answer.ts";
import { type ConsoleGuards, visitorOf } from "./console-guards.ts";
import { ExecutionPath } from "./execution-routes.ts";

const ArtifactPath = Type.Object({ ...ExecutionPath.properties, artifactId: Type.String() });

export function addArtifactRoutes(
  scope: App,
  { console: { executions }, artifacts }: Pick<AppDependencies, "console" | "artifacts">,
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
      return answerArtifact(request, reply, artifacts, await artifacts.get(connectionId, id, artifactId));
    },
  );
}
