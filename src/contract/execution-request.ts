import { type Static, Type } from "typebox";
import { EXAMPLE_REQUEST, ExecutionStatus } from "./execution.ts";
import { Approval } from "./interaction.ts";
import { Nullable } from "./schema-parts.ts";

export const PROMPT_MAX_LENGTH = 20_000;
export const START_URL_MAX_LENGTH = 2_048;
export const OUTPUT_SCHEMA_MAX_BYTES = 65_536;
export const OUTPUT_SCHEMA_MAX_DEPTH = 32;
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;
const METADATA_MAX_PAIRS = 16;
const METADATA_KEY_MAX_LENGTH = 40;
const METADATA_VALUE_MAX_LENGTH = 500;
const VARIABLES_MAX_PAIRS = 100;

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
    metadata: Type.Optional(
      Nullable(
        Type.Unsafe<Record<string, string>>({
          type: "object",
          maxProperties: METADATA_MAX_PAIRS,
          propertyNames: { minLength: 1, maxLength: METADATA_KEY_MAX_LENGTH },
          additionalProperties: { type: "string", maxLength: METADATA_VALUE_MAX_LENGTH },
          description: `Your own data, which comes back in the execution's events and webhooks: at most ${METADATA_MAX_PAIRS} pairs, names of 1 to ${METADATA_KEY_MAX_LENGTH} characters and values of at most ${METADATA_VALUE_MAX_LENGTH}. It is not part of the execution. Don't put secrets in it.`,
          examples: [{ order: "A-1042" }],
        }),
      ),
    ),
    recipe: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 36,
          description:
            "`auto`: if exactly one recipe matches the prompt, the execution runs with it, without a model. `off`: none is used, and none is learned. Or the id of a recipe, which is then used; `start_url` and `output_schema` are those of the recipe. Default: `auto`.",
          examples: ["auto"],
        }),
      ),
    ),
    variables: Type.Optional(
      Nullable(
        Type.Unsafe<Record<string, string>>({
          type: "object",
          maxProperties: VARIABLES_MAX_PAIRS,
          additionalProperties: { type: "string" },
          description:
            "With the id of a recipe: a value for each of its variables. `prompt` is then the recipe's template, with or without the values in it. Without `variables`, the values are taken from the prompt.",
          examples: [{ quantity: "2", product: "Birchbark Mug" }],
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
    status: Type.Optional(
      Type.Unsafe<ExecutionStatus>({ ...ExecutionStatus, description: "Only executions in this state." }),
    ),
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

export const ConditionalHeaders = Type.Object({
  "if-none-match": Type.Optional(
    Type.String({ description: "The `ETag` of an earlier response: 304 if it is unchanged." }),
  ),
});

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
