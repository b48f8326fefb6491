import { parentPort } from "node:worker_threads";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

parentPort?.on("message", ({ schema }: { schema: object }) => {
  parentPort?.postMessage({ problem: findProblem(schema) });
});

function findProblem(schema: object): string | null {
  // One for each schema: ids in one would otherwise be seen by the next.
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
    if (ajv.validateSchema(schema) !== true) return ajv.errorsText(ajv.errors, { dataVar: "schema" });
    const validate = ajv.compile(schema);
    return "$async" in validate ? "$async is not part of JSON Schema" : null;
  } catch (error) {
    return (error as Error).message;
  }
}
