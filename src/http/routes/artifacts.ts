import { Type } from "typebox";
import { type Artifact, ArtifactList, ArtifactPath } from "../../contract/artifact.ts";
import { ExecutionPath } from "../../contract/execution.ts";
import type { ArtifactRecord } from "../../executions/artifact-store.ts";
import type { App, AppDependencies } from "../app.ts";
import { matchesTag } from "../entity-tag.ts";
import { type ConnectionGuards, connectionOf } from "../plugins/bearer.ts";
import { CONNECTION_ERRORS, errorAnswers } from "./error-answers.ts";

export function addArtifactRoutes(app: App, { artifacts }: AppDependencies, { mayRead }: ConnectionGuards): void {
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
      return { artifacts: kept.map(toWire) };
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
      const artifact = await artifacts.get(connectionOf(request).id, executionId, artifactId);
      const tag = `"${artifact.sha256.toString("hex")}"`;
      reply.header("etag", tag).header("cache-control", "private, no-cache");
      if (matchesTag(request.headers["if-none-match"], tag)) return reply.code(304).send(null);
      const content = await artifacts.open(artifact);
      return reply
        .type(artifact.contentType)
        .header("content-length", artifact.bytes)
        .header("content-disposition", attachment(artifact.name))
        .header("x-content-type-options", "nosniff")
        .header("content-security-policy", "sandbox; default-src 'none'")
        .send(content);
    },
  );
}

const Bytes = {
  description: "The artifact.",
  content: { "application/octet-stream": { schema: Type.Unsafe({ type: "string", format: "binary" }) } },
};

const NotModified = Type.Null({ description: "Nothing has changed." });

function toWire(artifact: ArtifactRecord): Artifact {
  return {
    id: artifact.id,
    kind: artifact.kind,
    name: artifact.name,
    content_type: artifact.contentType,
    bytes: artifact.bytes,
    sha256: artifact.sha256.toString("hex"),
    created_at: artifact.createdAt.toISOString(),
  };
}

/** RFC 6266: a name that every client reads, and the exact one for those that know how. */
function attachment(name: string): string {
  const plain = name.replace(/[^\w. -]/g, "_");
  const exact = encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
