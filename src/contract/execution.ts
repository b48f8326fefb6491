import { type Static, type TSchema, Type } from "typebox";
import { EXECUTION_ERRORS, type ExecutionErrorCode, FAILURES, type Failure } from "./execution-error.ts";
import { DateTime, Nullable, Union } from "./schema-parts.ts";

export const ExecutionStatus = Type.Unsafe<"QUEUED" | "RUNNING" | "COMPLETED" | "FAILED">({
  type: "string",
  enum: ["QUEUED", "RUNNING", "COMPLETED", "FAILED"],
  description: "`QUEUED` → `RUNNING` → `COMPLETED` or `FAILED`. The last two are final.",
});
export type ExecutionStatus = Static<typeof ExecutionStatus>;

export const TERMINAL_STATUSES = ["verified", ...(Object.keys(FAILURES) as Failure[])] as const;

/** Works as it is with the demo shop (`errand demo`), without a model: a test runs it. */
export const EXAMPLE_REQUEST = {
  prompt: "Search for kettle, open Brindle Kettle and tell me its price.",
  start_url: "http://127.0.0.1:4010/",
  output_schema: {
    type: "object",
    properties: { price: { type: "number" } },
    required: ["price"],
  },
};

const EXAMPLE_QUEUED = {
  id: "0b9c1d52-6f1e-4c51-9d6b-2f4f0e2a7c11",
  status: "QUEUED",
  terminal: null,
  ...EXAMPLE_REQUEST,
  result: null,
  error: null,
  usage: { credits: 10, charged: false },
  created_at: "2026-05-04T09:30:00.000Z",
  updated_at: "2026-05-04T09:30:00.000Z",
  completed_at: null,
} as const;

export const EXAMPLE_COMPLETED = {
  ...EXAMPLE_QUEUED,
  status: "COMPLETED",
  terminal: { status: "verified", reason: "The errand was done, and every check agreed." },
  result: {
    final_text: "€64.90 with VAT",
    final_url: "http://127.0.0.1:4010/products/brindle-kettle",
    final_title: "Brindle Kettle · Tindlemere",
    extracted: { price: 64.9 },
    evidence: {
      urls: [
        "http://127.0.0.1:4010/",
        "http://127.0.0.1:4010/products?q=kettle",
        "http://127.0.0.1:4010/products/brindle-kettle",
      ],
      verifier: { agreed: true, reason: "All 9 checks passed, based on the site's pages and responses." },
      side_effects: [],
    },
  },
  usage: { credits: 10, charged: true },
  updated_at: "2026-05-04T09:30:41.000Z",
  completed_at: "2026-05-04T09:30:41.000Z",
} as const;

export const EXAMPLE_FAILED = {
  ...EXAMPLE_QUEUED,
  status: "FAILED",
  terminal: { status: "goal_unreachable", reason: 'The page has no button "Buy now".' },
  error: {
    code: "NOT_FOUND",
    message: 'The page has no button "Buy now". Use the name that the page shows.',
  },
  updated_at: "2026-05-04T09:30:17.000Z",
  completed_at: "2026-05-04T09:30:17.000Z",
} as const;

export const SideEffect = Type.Unsafe<{ type: string; description?: string; [detail: string]: unknown }>(
  Type.Object(
    {
      type: Type.String({
        description: "The kind of effect: `request`, `form_submission`, `download`, …",
        examples: ["form_submission"],
      }),
      description: Type.Optional(
        Type.String({
          description: "What was done, in words: what, how much, for whom, and the site's reference.",
          examples: ["Placed order T-10076: 1 × mug, €16.90"],
        }),
      ),
    },
    {
      $id: "SideEffect",
      title: "SideEffect",
      additionalProperties: true,
      description: "A change that the execution made, or may have made, on a site.",
    },
  ),
);
type SideEffect = Static<typeof SideEffect>;

const Urls = Type.Array(Type.String(), { description: "URLs visited or cited." });
const Verdict = Type.Object(
  {
    agreed: Type.Boolean({ description: "Whether the independent verifier agreed." }),
    reason: Type.String({ description: "Why it agreed or not." }),
  },
  { $id: "Verdict", title: "Verdict", description: "What the independent verifier says." },
);
const VerdictReference = Type.Unsafe<Static<typeof Verdict>>(Type.Ref("Verdict"));
export const SideEffects = Type.Array(Type.Unsafe<SideEffect>(Type.Ref("SideEffect")), {
  description: "Everything the execution changed. Empty if it changed nothing.",
});

export const ExecutionResult = Type.Object(
  {
    final_text: Type.String({ description: "The result in words." }),
    final_url: Type.String({ description: "The URL of the last page." }),
    final_title: Type.String({ description: "The title of the last page." }),
    extracted: Type.Unknown({ description: "The data for `output_schema`, or null." }),
    evidence: Type.Object({ urls: Urls, verifier: VerdictReference, side_effects: SideEffects }),
  },
  { $id: "ExecutionResult", title: "ExecutionResult" },
);
export type ExecutionResult = Static<typeof ExecutionResult>;

export const Failed = Type.Object({
  status: Type.Unsafe<Failure>({
    type: "string",
    enum: Object.keys(FAILURES),
    description: `Why it failed.\n\n${Object.entries(FAILURES)
      .map(([failure, { when }]) => `- \`${failure}\`: ${when}`)
      .join("\n")}`,
  }),
  reason: Type.String({ description: "The outcome in a sentence." }),
});
export const Verified = Type.Object({
  status: Type.Literal("verified"),
  reason: Type.String({ description: "The outcome in a sentence." }),
});

const ExecutionError = Type.Object({
  code: Type.Unsafe<ExecutionErrorCode>({
    type: "string",
    enum: Object.keys(EXECUTION_ERRORS),
    description: `The same as \`terminal.status\` in capitals, or a more specific one. New ones may be added.\n\n${Object.entries(
      EXECUTION_ERRORS,
    )
      .map(([code, { when }]) => `- \`${code}\`: ${when}`)
      .join("\n")}`,
  }),
  message: Type.String({ description: "What happened and what to do next." }),
});

/** An execution in one of its states. Every key is always present; what is not set is null. */
function ExecutionIn<Name extends string, Status extends ExecutionStatus, Outcome extends Record<string, TSchema>>(
  name: Name,
  { status, description, example }: { status: Status; description: string; example: object },
  outcome: Outcome,
) {
  return Type.Object(
    {
      id: Type.String({ format: "uuid" }),
      status: Type.Literal(status, {
        description: "`QUEUED` → `RUNNING` → `COMPLETED` or `FAILED`. The last two are final.",
      }),
      prompt: Type.String({ description: "The prompt as it was sent." }),
      start_url: Nullable(Type.String({ description: "The URL where the execution starts." })),
      output_schema: Nullable(
        Type.Unsafe<Record<string, unknown>>({
          type: "object",
          additionalProperties: true,
          description: "The schema as it was sent.",
        }),
      ),
      usage: Type.Object({
        credits: Type.Integer({ description: "The price of this execution." }),
        charged: Type.Boolean({ description: "Whether credits were charged. Only verified results are." }),
      }),
      created_at: DateTime,
      updated_at: DateTime,
      ...outcome,
    },
    { $id: name, title: name, additionalProperties: false, description, examples: [example] },
  );
}

const NOT_ENDED = {
  terminal: Type.Null({ description: "Null until the execution has ended." }),
  result: Type.Null({ description: "Null unless the execution is `COMPLETED`." }),
  error: Type.Null({ description: "Null unless the execution is `FAILED`." }),
  completed_at: Type.Null({ description: "Null until the execution has ended." }),
};

const STATES = {
  QUEUED: ExecutionIn(
    "QueuedExecution",
    { status: "QUEUED", description: "It waits for a worker.", example: EXAMPLE_QUEUED },
    NOT_ENDED,
  ),
  RUNNING: ExecutionIn(
    "RunningExecution",
    { status: "RUNNING", description: "A worker runs it.", example: { ...EXAMPLE_QUEUED, status: "RUNNING" } },
    NOT_ENDED,
  ),
  COMPLETED: ExecutionIn(
    "CompletedExecution",
    { status: "COMPLETED", description: "It has a verified result.", example: EXAMPLE_COMPLETED },
    {
      terminal: Verified,
      result: Type.Unsafe<ExecutionResult>(Type.Ref("ExecutionResult")),
      error: NOT_ENDED.error,
      completed_at: DateTime,
    },
  ),
  FAILED: ExecutionIn(
    "FailedExecution",
    {
      status: "FAILED",
      description: "It ended without a verified result. It may have changed something before: see its evidence.",
      example: EXAMPLE_FAILED,
    },
    { terminal: Failed, result: NOT_ENDED.result, error: ExecutionError, completed_at: DateTime },
  ),
};

/** One object in four states. The fields are the same in all of them. */
interface AnyExecution {
  id: string;
  status: ExecutionStatus;
  terminal: { status: "verified" | Failure; reason: string } | null;
  prompt: string;
  start_url: string | null;
  output_schema: Record<string, unknown> | null;
  result: ExecutionResult | null;
  error: { code: string; message: string } | null;
  usage: { credits: number; charged: boolean };
  created_at: string;
  updated_at: string;
  completed_at: string | null;
}

export const Execution = Union<AnyExecution>("Execution", "status", STATES, {
  description: "One errand on one connection.",
  examples: [EXAMPLE_COMPLETED],
});
export type Execution = Static<typeof Execution>;

/** Schemas that have a name in the API reference. */
export const EXECUTION_SCHEMAS = [Execution, ...Object.values(STATES), ExecutionResult, SideEffect, Verdict];

export const ExecutionEnvelope = Type.Object(
  { execution: Type.Unsafe<Execution>(Type.Ref("Execution")) },
  { additionalProperties: false, description: "The execution." },
);

export const ExecutionPage = Type.Object(
  {
    executions: Type.Array(Type.Unsafe<Execution>(Type.Ref("Execution")), { description: "Newest first." }),
    has_more: Type.Boolean({ description: "Whether there are more. Pass the last id as `after` to get them." }),
  },
  { additionalProperties: false, description: "One page." },
);

const ARTIFACT_KINDS = ["screenshot", "page", "network", "provenance", "download"] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

export const Artifact = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    kind: Type.Unsafe<ArtifactKind>({
      type: "string",
      enum: ARTIFACT_KINDS,
      description:
        "`screenshot`, `page`: the page as a picture or as text. `network`: the requests. `provenance`: the source of each extracted value. `download`: a file from the site.",
    }),
    name: Type.String({ description: "A suggested file name.", examples: ["order-1042.png"] }),
    content_type: Type.String({ description: "The media type.", examples: ["image/png"] }),
    bytes: Type.Integer({ description: "The size in bytes.", examples: [48213] }),
    sha256: Type.String({
      description: "The SHA-256 of the content in hexadecimal.",
      examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    }),
    created_at: DateTime,
  },
  { $id: "Artifact", title: "Artifact", additionalProperties: false, description: "A file that was kept as evidence." },
);
export type Artifact = Static<typeof Artifact>;

const ArtifactReference = Type.Unsafe<Artifact>(Type.Ref("Artifact"));

export const ArtifactList = Type.Object(
  { artifacts: Type.Array(ArtifactReference, { description: "Oldest first." }) },
  { additionalProperties: false, description: "The artifacts of the execution." },
);

const ExecutionEvidence = Type.Object(
  {
    urls: Urls,
    /** Null when the execution ended before it was verified. */
    verifier: Nullable(VerdictReference),
    side_effects: SideEffects,
  },
  { additionalProperties: false, description: "As `result.evidence`, also for failed executions." },
);
export type ExecutionEvidence = Static<typeof ExecutionEvidence>;

export const EvidenceEnvelope = Type.Object(
  {
    evidence: ExecutionEvidence,
    artifacts: Type.Array(ArtifactReference, { description: "Screenshots and other files, oldest first." }),
  },
  { additionalProperties: false, description: "The evidence of the execution." },
);

export const ArtifactPath = Type.Object({
  applicationId: Type.String({ description: "The application's id (its OAuth `client_id`)." }),
  executionId: Type.String({ description: "The execution's id." }),
  artifactId: Type.String({ description: "The artifact's id." }),
});
