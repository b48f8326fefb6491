import { type Static, type TSchema, Type } from "typebox";
import { Failed, SideEffects, Verified } from "./execution.ts";
import { InteractionFields } from "./interaction.ts";
import { DateTime, Nullable, Union } from "./schema-parts.ts";

const Cost = Type.Object(
  {
    model: Type.String(),
    input_tokens: Type.Integer(),
    cached_input_tokens: Type.Integer(),
    output_tokens: Type.Integer(),
    duration_ms: Type.Integer(),
    requests: Type.Integer(),
  },
  { $id: "ModelCost", title: "ModelCost", description: "What the models spent." },
);
const CostReference = Type.Unsafe<Static<typeof Cost>>(Type.Ref("ModelCost"));

const Check = Type.Object({
  about: Type.String({ description: "What was checked." }),
  verdict: Type.Unsafe<string>({ type: "string", enum: ["satisfied", "contradicted", "unknown"] }),
  evidence: Type.String({ description: "What it is based on." }),
});

const VERDICT = {
  agreed: Type.Boolean({ description: "Whether the independent verifier agreed." }),
  reason: Type.String({ description: "Why it agreed or not." }),
  checks: Type.Array(Check, { description: "Each check." }),
};

const Mark = Type.Object(
  {
    x: Type.Number(),
    y: Type.Number(),
    width: Type.Number(),
    height: Type.Number(),
    screenshot: Type.String({ description: "The artifact's id." }),
  },
  { description: "Where the element was that was acted on, in pixels of the screenshot from before." },
);

const Metadata = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string" },
  description: "The `metadata` of the create request. Absent when there is none.",
  examples: [{ order: "A-1042" }],
});

const EXAMPLE_COST = {
  model: "openai:gpt",
  input_tokens: 4210,
  cached_input_tokens: 3100,
  output_tokens: 96,
  duration_ms: 1840,
  requests: 1,
};

/** The data of each type of event, and an example. */
const DATA = {
  "execution.queued": ["ExecutionQueuedEvent", { metadata: Type.Optional(Metadata) }, {}],
  "execution.started": ["ExecutionStartedEvent", {}, {}],
  step: [
    "StepEvent",
    {
      step: Type.Integer({ description: "1, 2, 3, …" }),
      action: Type.String({ description: "What the agent did: `click`, `fill`, `goto`, …" }),
      input: Type.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: true,
        description: "The input of the action. Secrets are masked.",
      }),
      why: Type.String({ description: "Why, in a sentence." }),
      outcome: Type.Unsafe<"ok" | "failed">({ type: "string", enum: ["ok", "failed"] }),
      message: Nullable(Type.String({ description: "Why it failed." })),
      url: Type.String({ description: "The page after it." }),
      title: Type.String({ description: "The title of that page." }),
      side_effects: SideEffects,
      screenshot: Nullable(Type.String({ description: "The artifact's id." })),
      mark: Nullable(Mark),
      cost: Nullable(CostReference),
    },
    {
      step: 3,
      action: "click",
      input: { label: "Add to cart" },
      why: "Add the mug to the cart.",
      outcome: "ok",
      message: null,
      url: "http://127.0.0.1:4010/cart",
      title: "Cart · Tindlemere",
      side_effects: [{ type: "form_submission", description: "Added 1 × mug to the cart" }],
      screenshot: "5d2c7f0a-93f4-4c0e-8a35-0d6f5b7f1b42",
      mark: null,
      cost: null,
    },
  ],
  sign_in: [
    "SignInEvent",
    {
      outcome: Type.Unsafe<"renewed" | "failed">({
        type: "string",
        enum: ["renewed", "failed"],
        description: "Whether Errand has signed in again with the stored credentials after the sign-in had expired.",
      }),
      failure: Type.Optional(
        Type.String({ description: "Why it failed, such as `rejected` or `code_required`. Only when it failed." }),
      ),
    },
    { outcome: "renewed" },
  ],
  recipe: [
    "RecipeEvent",
    {
      outcome: Type.Unsafe<"used" | "replayed" | "healed" | "failed" | "learned" | "not_learned" | "set_aside">({
        type: "string",
        enum: ["used", "replayed", "healed", "failed", "learned", "not_learned", "set_aside"],
        description:
          "`used`: the run follows a recipe. `replayed`: it did so to its end, without a model. `healed`: a model took over. `failed`: it could not be followed. `learned`: the run became a recipe, or the next version of one. `not_learned`: it cannot be repeated without a model, also reported where learning is off. `set_aside`: the recipe failed several times in a row and is not used any more.",
      }),
      recipe_id: Type.Optional(Type.String({ format: "uuid" })),
      version: Type.Optional(Type.Integer({ description: "The version of the recipe." })),
      step: Type.Optional(
        Type.String({ description: "The step that could not be followed, in words. Absent when all steps were done." }),
      ),
      reason: Type.Optional(Type.String({ description: "Why, in a sentence." })),
    },
    { outcome: "replayed", recipe_id: "0197a3c2-6b1e-7c3d-9a54-2f0c6d1e8b77", version: 2 },
  ],
  interaction: [
    "InteractionEvent",
    {
      interaction_id: Type.String({ format: "uuid" }),
      kind: InteractionFields.kind,
      state: InteractionFields.state,
      message: Type.Optional(Type.String({ description: "What is asked. Only when `state` is `open`." })),
      url: Type.Optional(InteractionFields.url),
      amount: Type.Optional(InteractionFields.amount),
      expires_at: Type.Optional(DateTime),
      answer: Type.Optional(InteractionFields.answer),
      answered_by: Type.Optional(InteractionFields.answered_by),
    },
    {
      interaction_id: "5d2c7f0a-93f4-4c0e-8a35-0d6f5b7f1b42",
      kind: "approval",
      state: "open",
      message: "Place the order: 1 × Birchbark Mug, €16.90.",
      url: "http://127.0.0.1:4010/checkout",
      amount: { value: 16.9, currency: "EUR" },
      expires_at: "2026-05-04T10:30:00.000Z",
    },
  ],
  verification: [
    "VerificationEvent",
    { ...VERDICT, cost: Nullable(CostReference), total_cost: Nullable(CostReference) },
    {
      agreed: true,
      reason: "All 9 checks passed, based on the site's pages and responses.",
      checks: [{ about: "The price is 64.9.", verdict: "satisfied", evidence: "€64.90 with VAT" }],
      cost: null,
      total_cost: EXAMPLE_COST,
    },
  ],
  "execution.completed": [
    "ExecutionCompletedEvent",
    { terminal: Verified, cost: Type.Optional(CostReference), metadata: Type.Optional(Metadata) },
    { terminal: { status: "verified", reason: "The errand was done, and every check agreed." }, cost: EXAMPLE_COST },
  ],
  "execution.failed": [
    "ExecutionFailedEvent",
    {
      terminal: Failed,
      side_effects: Type.Optional(SideEffects),
      verifier: Type.Optional(Type.Object(VERDICT)),
      cost: Type.Optional(CostReference),
      metadata: Type.Optional(Metadata),
    },
    { terminal: { status: "goal_unreachable", reason: 'The page has no button "Buy now".' } },
  ],
} as const satisfies Record<string, readonly [name: string, data: Record<string, TSchema>, example: object]>;

const MEMBERS = Object.fromEntries(
  Object.entries(DATA).map(([type, [name, data, example]]) => [
    type,
    Type.Object(
      {
        id: Type.Integer({ description: "1, 2, 3, … within its execution." }),
        type: Type.Literal(type),
        at: DateTime,
        data: Type.Object(
          {
            ...data,
            truncated: Type.Optional(
              Type.Boolean({
                description: "The data was longer than about 64 KiB: texts and lists in it were shortened.",
              }),
            ),
          },
          { additionalProperties: true },
        ),
      },
      { $id: name, title: name, examples: [{ id: 3, type, at: "2026-05-04T09:30:12.000Z", data: example }] },
    ),
  ]),
);

/** `data` may be shortened and contain text from pages, so code of ours reads it defensively. */
export interface ExecutionEvent {
  id: number;
  type: keyof typeof DATA;
  at: string;
  data: Record<string, unknown>;
}

const ExecutionEventSchema = Union<ExecutionEvent>("ExecutionEvent", "type", MEMBERS, {
  description: "What happened in an execution. New types may be added: ignore those that you do not know.",
});

/** Schemas that have a name in the API reference. */
export const EVENT_SCHEMAS = [ExecutionEventSchema, ...Object.values(MEMBERS), Cost];

export const ExecutionEventPage = Type.Object(
  {
    events: Type.Array(Type.Unsafe<ExecutionEvent>(Type.Ref("ExecutionEvent")), { description: "Oldest first." }),
    has_more: Type.Boolean({
      description: "Whether there are more right now. Pass the last id as `after` to get them.",
    }),
  },
  { additionalProperties: false, description: "One page." },
);
export type ExecutionEventPage = Static<typeof ExecutionEventPage>;

export const ExecutionEventStream = Type.String({
  description:
    "Server-sent events. Each has `id`, `event` (the type) and `data`: one `ExecutionEvent` as JSON. Lines that begin with a colon are comments. The stream ends after the last event of the execution.",
  examples: [
    'id: 1\nevent: execution.queued\ndata: {"id":1,"type":"execution.queued","at":"2026-05-04T09:30:00.000Z","data":{}}\n\n',
  ],
});

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

export const FollowEventsHeaders = Type.Object({
  "last-event-id": Type.Optional(
    Type.String({ description: "For streams: only events after this id, instead of `after`.", examples: ["17"] }),
  ),
});
