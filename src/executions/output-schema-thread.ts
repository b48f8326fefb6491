import { parentPort } from "node:worker_threads";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

// allErrors and no optimizer: flat code that is quick to make; nested code overflows the stack on wide schemas.
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  logger: false,
  inlineRefs: false,
  addUsedSchema: false,
  code: { optimize: false },
});
addFormats.default(ajv);

parentPort?.on("message", ({ schema }: { schema: object }) => {
  parentPort?.postMessage({ problem: findProblem(schema) });
});

function findProblem(schema: object): string | null {
  try {
    ajv.compile(schema);
    return null;
  } catch (error) {
    return (error as Error).message;
  } finally {
    ajv.removeSchema(schema);
  }
}
