import { Type } from "typebox";
import { ArtifactList, ArtifactPath } from "../../contract/artifact.ts";
import { ExecutionPath } from "../../contract/execution.ts";
import type { App, AppDependencies } from "../app.ts";
import { answerArtifact, artifactToWire } from "../artifact-answer.ts";
import { type ConnectionGuards, connectionOf } from "../plugins/bearer.ts";
import { CONNECTION_ERRORS, errorAnswers } from "./error-answers.ts";

export function addArtifactRoutes(
  app: App,
  { artifacts, places }: AppDependencies,
  { mayRead }: ConnectionGuards,
): void {
  const common = { tags: ["Executions"], security: [{ connection: [] }] };

  app.get(
    "/v1/applications/:applicationId/executions/:executionId/artifacts",
    {
      config: { cors: true },
      onRequest: mayRead,
      schema: {
        ...common,
        operationId: "listExecutionArtifacts",
        summary: "List an execution's artifacts",
        description: "Screenshots, pages, requests and downloads that the run has kept as evidence.",
        params: ExecutionPath,
        response: {
          200: ArtifactList,
          ...errorAnswers(...CONNECTION_ERRORS, "INVALID_REQUEST", "EXECUTION_NOT_FOUND"),
        },
      },
    },
    async (request, reply) => {
      const kept = await artifacts.list(connectionOf(request).id, request.params.executionId);
      reply.header("cache-control", "private, no-store");
      return { artifacts: kept.map(artifactToWire) };
    },
  );

  app.get(
    "/v1/applications/:applicationId/executions/:executionId/artifacts/:artifactId",
    {
      config: { cors: true },
      onRequest: mayRead,
      schema: {
        ...common,
        operationId: "getExecutionArtifact",
        summary: "Get an artifact",
        description:
          "The bytes, always as an attachment: some of it was made by strangers. Honours `If-None-Match`; the tag is the SHA-256.",
        params: ArtifactPath,
        response: {
          200: Bytes,
          304: NotModified,
          ...errorAnswers(...CONNECTION_ERRORS, "INVALID_REQUEST", "EXECUTION_NOT_FOUND", "NOT_FOUND", "GONE"),
        },
      },
    },
    async (request, reply) => {
      const { executionId, artifactId } = request.params;
      const caller = connectionOf(request).id;
      const artifact = await artifacts.get(caller, executionId, artifactId);
      return answerArtifact(request, reply, { artifacts, artifact, places: places.downloading, caller });
    },
  );
}

const Bytes = {
  description: "The artifact.",
  content: { "application/octet-stream": { schema: Type.Unsafe({ type: "string", format: "binary" }) } },
};

const NotModified = Type.Null({ description: "Nothing has changed." });
