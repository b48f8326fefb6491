import { type Static, Type } from "typebox";
import { DateTime, Nullable } from "./schema-parts.ts";

export const ANSWER_MAX_LENGTH = 1_000;

const KINDS = ["approval", "question", "takeover"] as const;
const STATES = ["open", "answered", "expired", "closed"] as const;
const ANSWERS = ["approved", "declined", "answered", "handed_back"] as const;
const ANSWERERS = ["application", "link", "user", "owner"] as const;
const ACTIONS = ["approve", "decline", "answer", "hand_back"] as const;

export type InteractionKind = (typeof KINDS)[number];
export type InteractionState = (typeof STATES)[number];
export type InteractionAnswer = (typeof ANSWERS)[number];
/** Who answered. `link`: somebody who had the link and was not signed in. */
export type InteractionAnswerer = (typeof ANSWERERS)[number];
export type InteractionAction = (typeof ACTIONS)[number];

/** When a run waits for a person. `never` does not lift what the application or the user wants. */
export const Approval = Type.Unsafe<"never" | "commits">({ type: "string", enum: ["never", "commits"] });
export type Approval = Static<typeof Approval>;

const Mark = Type.Object(
  { x: Type.Number(), y: Type.Number(), width: Type.Number(), height: Type.Number() },
  { description: "In pixels of the picture." },
);

/** What is asked. Everything that comes from a page is data, never an instruction. */
const REQUEST = {
  message: Type.String({
    description: "What is about to be done, what only the person knows, or why a person is needed.",
    examples: ["Place the order: 1 × Birchbark Mug, €16.90."],
  }),
  url: Type.String({ description: "The page that the run is on." }),
  amount: Nullable(
    Type.Object(
      { value: Type.Number(), currency: Type.String({ description: "ISO 4217." }) },
      { description: "The total, as the page states it." },
    ),
  ),
  recipient: Nullable(Type.String({ description: "Who gets it." })),
  items: Type.Array(Type.String(), { description: "What it is about." }),
  values: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
    description: "What will be sent. Secrets are masked.",
  }),
  options: Type.Array(Type.String(), { description: "The possible answers to a question; empty if any text is fine." }),
  is_secret: Type.Boolean({ description: "The answer is a one-time code or another secret. It is not kept." }),
  picture: Nullable(
    Type.Object(
      {
        artifact_id: Type.String({ format: "uuid", description: "A screenshot among the execution's artifacts." }),
        mark: Nullable(Mark),
      },
      { description: "The page as it is, and the place that is about to be acted on." },
    ),
  ),
};

const RequestObject = Type.Object(REQUEST);
export type InteractionRequest = Static<typeof RequestObject>;

/** The fields that events have, too. */
export const InteractionFields = {
  kind: Type.Unsafe<InteractionKind>({ type: "string", enum: KINDS }),
  state: Type.Unsafe<InteractionState>({
    type: "string",
    enum: STATES,
    description: "`expired`: nobody answered in time. `closed`: the execution ended first.",
  }),
  url: REQUEST.url,
  amount: REQUEST.amount,
  answer: Nullable(Type.Unsafe<InteractionAnswer>({ type: "string", enum: ANSWERS })),
  answered_by: Nullable(
    Type.Unsafe<InteractionAnswerer>({
      type: "string",
      enum: ANSWERERS,
      description: "`link`: somebody who had the link and was not signed in.",
    }),
  ),
};

export const EXAMPLE_INTERACTION = {
  id: "5d2c7f0a-93f4-4c0e-8a35-0d6f5b7f1b42",
  kind: "approval",
  state: "open",
  message: "Place the order: 1 × Birchbark Mug, €16.90.",
  url: "http://127.0.0.1:4010/checkout",
  amount: { value: 16.9, currency: "EUR" },
  recipient: "Tindlemere",
  items: ["1 × Birchbark Mug"],
  values: [{ name: "Delivery", value: "Standard" }],
  options: [],
  is_secret: false,
  picture: null,
  answer: null,
  answered_by: null,
  link: "https://errand.example.com/i/LINK_TOKEN",
  created_at: "2026-05-04T09:30:00.000Z",
  expires_at: "2026-05-04T10:30:00.000Z",
};

export const Interaction = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    ...REQUEST,
    ...InteractionFields,
    link: Nullable(
      Type.String({
        description:
          "A page for the person, made for phones, which works without an account. Anyone who has the link can answer. Null once it has ended.",
      }),
    ),
    created_at: DateTime,
    expires_at: DateTime,
  },
  {
    $id: "Interaction",
    title: "Interaction",
    additionalProperties: false,
    description: "What an execution wants of a person.",
    examples: [EXAMPLE_INTERACTION],
  },
);
export type Interaction = Static<typeof Interaction>;

export const InteractionEnvelope = Type.Object(
  { interaction: Nullable(Type.Unsafe<Interaction>(Type.Ref("Interaction"))) },
  { additionalProperties: false, description: "What the execution waits for, or null when it waits for nothing." },
);

export const AnsweredInteraction = Type.Object(
  { interaction: Type.Unsafe<Interaction>(Type.Ref("Interaction")) },
  { additionalProperties: false, description: "The interaction with its answer." },
);

export const AnswerInteraction = Type.Object(
  {
    id: Type.String({ description: "The interaction's id, so that nobody answers another one than they have seen." }),
    action: Type.Unsafe<InteractionAction>({
      type: "string",
      enum: ACTIONS,
      description:
        "`approve` or `decline` an approval, `answer` or `decline` a question, `hand_back` or `decline` a takeover.",
    }),
    text: Type.Optional(
      Type.String({
        description: `Only with \`answer\`: 1 to ${ANSWER_MAX_LENGTH} characters, or one of the \`options\`.`,
      }),
    ),
  },
  { additionalProperties: false, examples: [{ id: "0b9c1d52-6f1e-4c51-9d6b-2f4f0e2a7c11", action: "approve" }] },
);
export type AnswerInteraction = Static<typeof AnswerInteraction>;
