import { fromJsonSchema, type JsonSchemaValidator, type StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { type Static, type TSchema, Type } from "typebox";
import type { Execution } from "../contract/execution.ts";
import { CreateExecution, ListExecutionsQuery } from "../contract/execution-request.ts";
import { ANSWER_MAX_LENGTH, Interaction } from "../contract/interaction.ts";
import { Nullable } from "../contract/schema-parts.ts";
import { toErrorDetails } from "../lib/schema-errors.ts";

/** Inputs and outputs of the tools. Those that the API has, too, come from the contract. */

const { prompt, start_url, output_schema, approval } = CreateExecution.properties;
const {
  id: interactionId,
  kind,
  message,
  amount,
  recipient,
  items,
  options,
  is_secret,
  expires_at,
} = Interaction.properties;

const ErrandId = Type.String({ description: "The errand's id: `execution.id` in the result of run_errand." });

/** The API's object in short: models read it with every list of tools. */
const Errand = Type.Unsafe<Execution>(
  Type.Object(
    {
      id: Type.String(),
      status: Type.String({ description: "QUEUED, RUNNING, COMPLETED or FAILED." }),
      terminal: Nullable(
        Type.Object({
          status: Type.String({ description: "`verified`, or why it failed." }),
          reason: Type.String(),
        }),
      ),
      result: Nullable(
        Type.Object({
          final_text: Type.String({ description: "The result in words." }),
          final_url: Type.String(),
          extracted: Type.Unknown({ description: "The data for `output_schema`, or null." }),
          evidence: Type.Object({
            side_effects: Type.Array(Type.Object({}), { description: "Everything that was changed on sites." }),
          }),
        }),
      ),
      error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    },
    { description: "The execution, as in the HTTP API." },
  ),
);

const RunErrand = Type.Object({ prompt, start_url, output_schema, approval }, { additionalProperties: false });
export type RunErrand = Static<typeof RunErrand>;

const WAIT_MAX_SECONDS = 30;
const GetErrand = Type.Object(
  {
    id: ErrandId,
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: WAIT_MAX_SECONDS,
        description: "How many seconds to wait for the end of the errand. Default: 0.",
      }),
    ),
  },
  { additionalProperties: false },
);

const CancelErrand = Type.Object({ id: ErrandId }, { additionalProperties: false });

const AnswerInteraction = Type.Object(
  {
    id: ErrandId,
    interaction_id: Type.String({ description: "The id of the question that is answered: `interaction.id`." }),
    action: Type.Unsafe<"answer" | "decline">({
      type: "string",
      enum: ["answer", "decline"],
      description:
        "`answer` a question with `text`, or `decline` whatever is asked. Only the person can approve, on the page that `interaction.link` names.",
    }),
    text: Type.Optional(
      Type.String({
        description: `The person's answer, with at most ${ANSWER_MAX_LENGTH} characters, or one of the \`options\`. Never a secret.`,
      }),
    ),
  },
  { additionalProperties: false },
);

const OpenInteraction = Type.Object(
  {
    id: interactionId,
    kind,
    message,
    amount,
    recipient,
    items,
    options,
    is_secret,
    link: Type.String({ description: "The page on which the person decides. They sign in to Errand there." }),
    expires_at,
  },
  { description: "What the errand waits for." },
);
export type OpenInteraction = Static<typeof OpenInteraction>;

const ErrandOutput = Type.Object({
  execution: Errand,
  interaction: Nullable(OpenInteraction),
  next_step: Nullable(Type.String({ description: "What to do next, if there is something to do." })),
});
export type ErrandOutput = Static<typeof ErrandOutput>;

const ListOutput = Type.Object({
  executions: Type.Array(Errand, { description: "Newest first." }),
  has_more: Type.Boolean({ description: "Whether there are more. Pass the last id as `after` to get them." }),
});

const ajv = new Ajv2020({ allErrors: true, strict: false, logger: false });
addFormats.default(ajv);

/** Compiled once: a server is made for every request. */
export const schemas = {
  runErrand: toStandard(RunErrand),
  getErrand: toStandard(GetErrand),
  listErrands: toStandard(ListExecutionsQuery),
  cancelErrand: toStandard(CancelErrand),
  answerInteraction: toStandard(AnswerInteraction),
  errandOutput: toStandard(ErrandOutput),
  listOutput: toStandard(ListOutput),
};

function toStandard<Schema extends TSchema>(schema: Schema): StandardSchemaWithJSON<Static<Schema>, Static<Schema>> {
  return fromJsonSchema<Static<Schema>>(JSON.parse(JSON.stringify(schema)), { getValidator });
}

/** Says what is wrong as the HTTP API does: the SDK's own validator names no field. */
function getValidator<T>(schema: object): JsonSchemaValidator<T> {
  const validate = ajv.compile<T>(schema);
  return (input) => {
    if (validate(input)) return { valid: true, data: input, errorMessage: undefined };
    const details = toErrorDetails(validate.errors ?? [], "arguments");
    const errorMessage = details.map(({ path, message }) => `${path} ${message}`).join("; ");
    return { valid: false, data: undefined, errorMessage };
  };
}
