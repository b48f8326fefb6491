import { parentPort } from "node:worker_threads";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Without `data`: is the schema usable? With `data`: does it match? */
export type SchemaRequest = { schema: object } | { schema: object; data: unknown };

export type SchemaResponse =
  | { kind: "fine" }
  | { kind: "bad schema"; problem: string }
  | { kind: "bad data"; problems: string[] }
  /** The thread ended, or did not respond in time. */
  | { kind: "lost" };

parentPort?.on("message", (question: SchemaRequest) => {
  parentPort?.postMessage(checkSchema(question));
});
// Everything is loaded: the time for checking starts now.
parentPort?.postMessage("ready");

function checkSchema(question: SchemaRequest): SchemaResponse {
  const compiled = compile(question.schema);
  if ("problem" in compiled) return { kind: "bad schema", problem: compiled.problem };
  const { validate } = compiled;
  if (!("data" in question) || validate(question.data) === true) return { kind: "fine" };
  const problems = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
  return { kind: "bad data", problems };
}

function compile(schema: object): { validate: ValidateFunction } | { problem: string } {
  // A new instance per schema: otherwise a schema could refer to another's ids.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    logger: false,
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  });
  addFormats.default(ajv);
  try {
    if (ajv.validateSchema(schema) !== true) return { problem: ajv.errorsText(ajv.errors, { dataVar: "schema" }) };
    const validate = ajv.compile(schema);
    return "$async" in validate ? { problem: "$async is not part of JSON Schema" } : { validate };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
