import { type Static, Type } from "typebox";

const ARTIFACT_KINDS = ["screenshot", "page", "network", "provenance", "download"] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

export const Artifact = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    kind: Type.Unsafe<ArtifactKind>({
      type: "string",
      enum: ARTIFACT_KINDS,
      description:
        "A picture of the page, its text, the requests of the run, where each extracted value stood, or a file that the site sent.",
    }),
    name: Type.String({ description: "A file name for it." }),
    content_type: Type.String({ description: "Its media type." }),
    bytes: Type.Integer({ description: "Its size." }),
    sha256: Type.String({ description: "Of its content, in hexadecimal digits." }),
    created_at: Type.String({ format: "date-time", description: "ISO 8601, UTC." }),
  },
  { additionalProperties: false },
);
export type Artifact = Static<typeof Artifact>;

export const ArtifactList = Type.Object(
  { artifacts: Type.Array(Artifact, { description: "Oldest first." }) },
  { additionalProperties: false, description: "What the run has kept." },
);

export const ArtifactPath = Type.Object({
  applicationId: Type.String({ description: "The application's id (its OAuth `client_id`)." }),
  executionId: Type.String({ description: "The execution's id." }),
  artifactId: Type.String({ description: "The artifact's id." }),
});
