import type { FastifyReply, FastifyRequest } from "fastify";
import type { Artifact } from "../contract/artifact.ts";
import type { ArtifactRecord } from "../executions/artifact-store.ts";
import type { Artifacts } from "../executions/artifacts.ts";
import { matchesTag } from "./entity-tag.ts";
import { holdPlace } from "./hold-place.ts";
import type { Places } from "./places.ts";

interface Download {
  artifacts: Artifacts;
  artifact: ArtifactRecord;
  places: Places;
  /** Who downloads. */
  caller: string;
}

/** The bytes, under headers that keep what strangers made from running in our origin. */
export async function answerArtifact(
  request: FastifyRequest,
  reply: FastifyReply,
  { artifacts, artifact, places, caller }: Download,
): Promise<FastifyReply> {
  const tag = `"${artifact.sha256.toString("hex")}"`;
  reply.header("etag", tag).header("cache-control", "private, no-cache");
  if (matchesTag(request.headers["if-none-match"], tag)) return reply.code(304).send(null);
  holdPlace(reply, places, caller);
  const content = await artifacts.open(artifact);
  return reply
    .type(artifact.contentType)
    .header("content-length", artifact.bytes)
    .header("content-disposition", attachment(artifact.name))
    .header("x-content-type-options", "nosniff")
    .header("content-security-policy", "sandbox; default-src 'none'")
    .send(content);
}

export function artifactToWire(artifact: ArtifactRecord): Artifact {
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
