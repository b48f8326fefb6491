import { readFileSync } from "node:fs";
import type { CreateExecution } from "../contract/execution-request.ts";
import type { Approval } from "../contract/interaction.ts";
import { checkCreateRequest } from "../executions/create-request.ts";
import { createOutputSchemaChecker } from "../executions/output-schema-checker.ts";
import { CallerError } from "../lib/errors.ts";
import { parseUuid } from "../lib/uuid.ts";
import { UsageError } from "./failure.ts";
import { type ConfigOptions, toCommandOptions } from "./options.ts";
import { describeReadError, readPromptFile } from "./text-input.ts";

interface RequestOptions extends ConfigOptions {
  startUrl?: string;
  outputSchema?: string;
  application?: string;
  approval?: Approval;
}

export type PromptSource =
  | { readonly kind: "prompt"; readonly prompt: string }
  | { readonly kind: "steps"; readonly path: string };

/** The arguments as a create request. Rejects every mistake that can be found without the database. */
export async function readRunRequest(source: PromptSource, options: RequestOptions): Promise<CreateExecution> {
  const { startUrl, outputSchema, application } = options;
  if (application !== undefined && parseUuid(application) === null) {
    const list = `errand app list${toCommandOptions(options)}`;
    throw new UsageError(`--application must be the id of an application. Run ${list} to see them.`);
  }
  const { prompt, start } = source.kind === "prompt" ? { ...source, start: null } : await readSteps(source.path);
  const schema = outputSchema === undefined ? null : readSchema(outputSchema);
  const body = { prompt, start_url: startUrl ?? start, output_schema: schema, approval: options.approval ?? null };
  try {
    checkCreateRequest(body);
  } catch (error) {
    throw error instanceof CallerError ? toUsageError(error) : error;
  }
  if (schema !== null) await checkSchema(schema);
  return body;
}

/**
 * The steps of a file as a prompt. English is sent as the steps that it means, so that a model, if there is one, has no part
 * in it.
 */
async function readSteps(path: string): Promise<{ prompt: string; start: string | null }> {
  const text = await readPromptFile(path, "--steps");
  // Loaded lazily: a prompt is read by the worker.
  const [{ describeProblem, isStepFileName, understandSteps, writeStepFile }, { isStepFile }] = await Promise.all([
    import("../app/understood-steps.ts"),
    import("../agent/steps/step-file.ts"),
  ]);
  const understood = understandSteps(text, { isFile: isStepFileName(path) });
  if (understood.problem !== null) {
    const [first = "", ...more] = describeProblem(understood.problem);
    throw new UsageError(
      [`--steps: ${first}`, ...more, "Run errand steps --check to see what is understood."].join(" "),
    );
  }
  // Part of the request, so that it comes before the application's home page.
  return { prompt: isStepFile(text) ? text : writeStepFile(understood), start: understood.startUrl };
}

function readSchema(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`--output-schema: ${path} ${describeReadError(error as NodeJS.ErrnoException)}.`, {
      cause: error,
    });
  }
  const schema = parseJson(text, path);
  if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) return { ...schema };
  throw new UsageError(
    `--output-schema: ${path} must contain a JSON Schema, which is an object such as {"type": "object"}.`,
  );
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new UsageError(`--output-schema: ${path} is not valid JSON. ${oneLine((error as Error).message)}.`, {
      cause: error,
    });
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

async function checkSchema(schema: object): Promise<void> {
  await using schemas = createOutputSchemaChecker();
  const problem = await schemas.findProblem(schema, "command line");
  if (problem !== null) throw new UsageError(`--output-schema ${problem}. Correct the file.`);
}

const FIELD_LABELS: Record<string, string> = {
  prompt: "The prompt",
  start_url: "--start-url",
  output_schema: "--output-schema",
};
const ADVICE: Record<string, string> = {
  prompt: 'Describe the task in quotes: errand run "What does the kettle cost?"',
  start_url: "Write it like https://shop.example/.",
};

function toUsageError({ details = [], message }: CallerError): UsageError {
  const lines = details.map(({ path, message: problem }) =>
    [`${FIELD_LABELS[path] ?? path} ${problem}.`, ADVICE[path]].filter((part) => part !== undefined).join(" "),
  );
  return new UsageError(lines.length === 0 ? message : lines.join("\n"));
}
