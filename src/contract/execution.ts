import { type Static, Type } from "typebox";
import { Approval } from "./interaction.ts";
import { DateTime, Nullable } from "./schema-parts.ts";

export const PROMPT_MAX_LENGTH = 20_000;
export const START_URL_MAX_LENGTH = 2_048;
export const OUTPUT_SCHEMA_MAX_BYTES = 65_536;
export const OUTPUT_SCHEMA_MAX_DEPTH = 32;
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;

export const ExecutionStatus = Type.Unsafe<"QUEUED" | "RUNNING" | "COMPLETED" | "FAILED">({
  type: "string",
  enum: ["QUEUED", "RUNNING", "COMPLETED", "FAILED"],
  description: "`QUEUED` → `RUNNING` → `COMPLETED` or `FAILED`. The last two are final.",
});
export type ExecutionStatus = Static<typeof ExecutionStatus>;

const FAILURES = [
  "unverified",
  "goal_unreachable",
  "reauthorization_required",
  "blocked",
  "policy_violation",
  "output_schema_mismatch",
  "step_limit",
  "timed_out",
  "canceled",
  "approval_declined",
  "approval_expired",
  "interaction_expired",
  "site_error",
  "model_error",
  "unsupported_prompt",
  "worker_lost",
  "internal_error",
] as const;
export type Failure = (typeof FAILURES)[number];
export const TERMINAL_STATUSES = ["verified", ...FAILURES] as const;

const TerminalStatus = Type.Unsafe<"verified" | Failure>({
  type: "string",
  enum: TERMINAL_STATUSES,
  description: "`verified` when `COMPLETED`, otherwise why it failed.",
});

/** Works as it is with the demo shop (`errand demo`), without a model: a test runs it. */
const EXAMPLE_REQUEST = {
  prompt: "Search for kettle, open Brindle Kettle and tell me its price.",
  start_url: "http://127.0.0.1:4010/",
  output_schema: {
    type: "object",
    properties: { price: { type: "number" } },
    required: ["price"],
  },
};

const EXAMPLE_EXECUTION = {
  id: "0b9c1d52-6f1e-4c51-9d6b-2f4f0e2a7c11",
  status: "COMPLETED",
  terminal: { status: "verified", reason: "The errand was done, and every check agreed." },
  ...EXAMPLE_REQUEST,
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
  error: null,
  usage: { credits: 10, charged: true },
  created_at: "2026-05-04T09:30:00.000Z",
  updated_at: "2026-05-04T09:30:41.000Z",
  completed_at: "2026-05-04T09:30:41.000Z",
};

const SideEffect = Type.Unsafe<{ type: string; description?: string; [detail: string]: unknown }>(
  Type.Object(
    {
      type: Type.String({ description: "The kind of effect: a request, a form submission, a download, …" }),
      description: Type.Optional(
        Type.String({
          description: "What was done, in words: what, how much, for whom, and the site's reference.",
          examples: ["Placed order T-10076: 1 × mug, €16.90"],
        }),
      ),
    },
    { additionalProperties: true, description: "A change that the execution made, or may have made, on a site." },
  ),
);

const Urls = Type.Array(Type.String(), { description: "URLs visited or cited." });
const Verdict = Type.Object({
  agreed: Type.Boolean({ description: "Whether the independent verifier agreed." }),
  reason: Type.String({ description: "Why it agreed or not." }),
});
const SideEffects = Type.Array(SideEffect, {
  description: "Everything the execution changed. Empty if it changed nothing.",
});

export const ExecutionResult = Type.Object({
  final_text: Type.String({ description: "The result in words." }),
  final_url: Type.String({ description: "The URL of the last page." }),
  final_title: Type.String({ description: "The title of the last page." }),
  extracted: Type.Unknown({ description: "The data for `output_schema`, or null." }),
  evidence: Type.Object({ urls: Urls, verifier: Verdict, side_effects: SideEffects }),
});
export type ExecutionResult = Static<typeof ExecutionResult>;

export const Execution = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    status: ExecutionStatus,
    terminal: Nullable(
      Type.Object(
        { status: TerminalStatus, reason: Type.String({ description: "The outcome in a sentence." }) },
        { description: "The outcome. Null until the execution has ended." },
      ),
    ),
    prompt: Type.String({ description: "The prompt as it was sent." }),
    start_url: Nullable(Type.String({ description: "The URL where the execution starts." })),
    output_schema: Nullable(
      Type.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: true,
        description: "The schema as it was sent.",
      }),
    ),
    result: Nullable(ExecutionResult),
    error: Nullable(
      Type.Object(
        {
          code: Type.String({ description: "Stable, in capitals." }),
          message: Type.String({ description: "What happened and what to do next." }),
        },
        { description: "Set on every `FAILED` execution." },
      ),
    ),
    usage: Type.Object({
      credits: Type.Integer({ description: "The price of this execution." }),
      charged: Type.Boolean({ description: "Whether credits were charged. Only verified results are." }),
    }),
    created_at: DateTime,
    updated_at: DateTime,
    completed_at: Nullable(DateTime),
  },
  { $id: "Execution", title: "Execution", additionalProperties: false, examples: [EXAMPLE_EXECUTION] },
);
export type Execution = Static<typeof Execution>;

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

export const CreateExecution = Type.Object(
  {
    prompt: Type.String({
      description: `The task in plain language: 1 to ${PROMPT_MAX_LENGTH} characters, not blank.`,
      examples: [EXAMPLE_REQUEST.prompt],
    }),
    start_url: Type.Optional(
      Nullable(
        Type.String({
          description: `An http or https URL of at most ${START_URL_MAX_LENGTH} characters. Default: the application's home page.`,
        }),
      ),
    ),
    output_schema: Type.Optional(
      Nullable(
        Type.Unsafe<Record<string, unknown>>({
          type: "object",
          additionalProperties: true,
          description:
            "A JSON Schema (2020-12) for `result.extracted`: an object, at most 64 KiB, 32 levels deep, without remote references.",
        }),
      ),
    ),
    approval: Type.Optional(
      Nullable(
        Type.Unsafe<Approval>({
          ...Approval,
          description:
            "`commits`: the run waits for a person before anything is bought, sent, published or deleted. It can only make the run stricter: `never` does not lift what the application or the user wants. Default: what they want.",
        }),
      ),
    ),
  },
  { additionalProperties: false, examples: [EXAMPLE_REQUEST] },
);
export type CreateExecution = Static<typeof CreateExecution>;

export const LIST_DEFAULT_LIMIT = 20;

export const ListExecutionsQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, default: LIST_DEFAULT_LIMIT, description: "How many to return." }),
    ),
    after: Type.Optional(Type.String({ description: "The id of the last execution on the previous page." })),
  },
  { additionalProperties: false },
);

const WAIT_MAX_SECONDS = 30;

export const GetExecutionQuery = Type.Object(
  {
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: WAIT_MAX_SECONDS,
        default: 0,
        description: "Respond when the execution has ended, or after this many seconds.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const ExecutionPath = Type.Object({
  applicationId: Type.String({ description: "The application's id (its OAuth `client_id`)." }),
  executionId: Type.String({ description: "The execution's id." }),
});

export const ApplicationPath = Type.Object({
  applicationId: Type.String({ description: "The application's id (its OAuth `client_id`)." }),
});

export const CreateExecutionHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    Type.String({
      description: `1 to ${IDEMPOTENCY_KEY_MAX_LENGTH} characters. The same key with the same body on the same connection returns the original execution.`,
    }),
  ),
});

const EVENT_TYPES = [
  "execution.queued",
  "execution.started",
  "step",
  "interaction",
  "verification",
  "execution.completed",
  "execution.failed",
] as const;

export const ExecutionEvent = Type.Object({
  id: Type.Integer({ description: "1, 2, 3, … within its execution." }),
  type: Type.Unsafe<(typeof EVENT_TYPES)[number]>({ type: "string", enum: EVENT_TYPES }),
  at: Type.String({ format: "date-time" }),
  data: Type.Unsafe<Record<string, unknown>>({
    type: "object",
    additionalProperties: true,
    description:
      "Depends on the type. `step`: action, outcome and side effects. `interaction`: what a person is asked, and how it was answered. `verification`: the verdict and its checks. The last event: the outcome and, for failures, `side_effects` and `verifier` where available. About 64 KiB at most; longer data is truncated and marked as such.",
    examples: [{}],
  }),
});
export type ExecutionEvent = Static<typeof ExecutionEvent>;

export const ExecutionEventPage = Type.Object(
  {
    events: Type.Array(ExecutionEvent, { description: "Oldest first." }),
    has_more: Type.Boolean({
      description: "Whether there are more right now. Pass the last id as `after` to get them.",
    }),
  },
  { description: "One page, or the stream." },
);
export type ExecutionEventPage = Static<typeof ExecutionEventPage>;

export const EVENTS_DEFAULT_LIMIT = 100;

export const ListEventsQuery = Type.Object(
  {
    after: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0, description: "Only events after this id." }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, default: EVENTS_DEFAULT_LIMIT, description: "How many to return." }),
    ),
  },
  { additionalProperties: false },
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
    created_at: Type.String({ format: "date-time", description: "ISO 8601, UTC." }),
  },
  { additionalProperties: false },
);
export type Artifact = Static<typeof Artifact>;

export const ArtifactList = Type.Object(
  { artifacts: Type.Array(Artifact, { description: "Oldest first." }) },
  { additionalProperties: false, description: "The artifacts of the execution." },
);

const ExecutionEvidence = Type.Object(
  {
    urls: Urls,
    verifier: Nullable(
      Type.Object(Verdict.properties, { description: "Null when the execution ended before it was verified." }),
    ),
    side_effects: SideEffects,
  },
  { additionalProperties: false, description: "As `result.evidence`, also for failed executions." },
);
export type ExecutionEvidence = Static<typeof ExecutionEvidence>;

export const EvidenceEnvelope = Type.Object(
  {
    evidence: ExecutionEvidence,
    artifacts: Type.Array(Artifact, { description: "Screenshots and other files, oldest first." }),
  },
  { additionalProperties: false, description: "The evidence of the execution." },
);

export const ArtifactPath = Type.Object({
  applicationId: Type.String({ description: "The application's id (its OAuth `client_id`)." }),
  executionId: Type.String({ description: "The execution's id." }),
  artifactId: Type.String({ description: "The artifact's id." }),
});
