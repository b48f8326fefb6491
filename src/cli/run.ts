import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { describeCall } from "../agent/actions/public-call.ts";
import type { ExecutionEvent } from "../contract/execution-event.ts";
import type { CreateExecution } from "../contract/execution-request.ts";
import type { Approval } from "../contract/interaction.ts";
import { type ReceiptLine, writeReceipt } from "../contract/receipt.ts";
import { type ExecutionRecord, toWire } from "../executions/execution.ts";
import type { Executions } from "../executions/executions.ts";
import { CallerError } from "../lib/errors.ts";
import { pluralize } from "../lib/pluralize.ts";
import { artifactFolder } from "../storage/artifacts/folder.ts";
import { explainConnectionLoss } from "./database.ts";
import { type CommonOptions, type ConfigOptions, DATA_DIR_OPTION, JSON_OPTION } from "./options.ts";
import { clean, createLiveLines, isServed, type LiveLines, paint, printResult } from "./output.ts";
import { createTerminalQuestions, type TerminalQuestions } from "./run-interaction.ts";
import type { PromptSource } from "./run-request.ts";
import { untilSignal } from "./signals.ts";

interface RunOptions extends ConfigOptions {
  steps?: string;
  startUrl?: string;
  outputSchema?: string;
  application?: string;
  approval?: Approval;
  json?: boolean;
}

export function addRunCommand(program: Command): void {
  program
    .command("run")
    .description("run one errand and show its steps")
    .argument("[prompt]", "the task, in plain English")
    .option("--steps <file>", "run the steps in this file instead of a prompt; - reads standard input")
    .option("--start-url <url>", "where to start (default: the application's home page)")
    .option("--output-schema <file>", "JSON Schema of the data to return")
    .option("--application <id>", 'run the errand for this application (default: "Command line", created if necessary)')
    .addOption(
      new Option("--approval <when>", "commits: ask before anything is bought, sent, published or deleted").choices([
        "never",
        "commits",
      ]),
    )
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", RUN_EXIT_CODES)
    .action(run);
}

async function run(given: string | undefined, options: RunOptions, command: Command): Promise<void> {
  const source = toSource(given, options, command);
  const { readRunRequest } = await import("./run-request.ts");
  await runRequest(await readRunRequest(source, options), options);
}

interface RequestOptions extends CommonOptions {
  startUrl?: string;
  application?: string;
  /** Runs it on this connection (default: the operator's to the application). */
  connection?: string;
}

/** Runs one errand to its end, prints its steps and the result, and sets the exit code. */
export async function runRequest(body: CreateExecution, options: RequestOptions): Promise<void> {
  // Installed before anything opens, so that Ctrl-C during the first seconds still stops cleanly.
  const stop = untilSignal();
  // Loaded lazily, so that other commands start fast.
  const { openRunContext } = await import("./run-context.ts");
  const write = (text: string) => void process.stderr.write(`${text}\n`);
  const say = (text: string) => options.json === true || write(`\n${text}`);
  const isAttended = options.json !== true && process.stdin.isTTY;
  const onDatabaseUnavailable = () => say("Cannot reach the database; waiting for it to come back.");
  await using context = await openRunContext({
    ...options,
    prompt: body.prompt,
    isAttended,
    onDatabaseUnavailable,
  });
  const { executions, interactions, connection, config } = context;
  const { execution } = await explainConnectionLoss(config, () => executions.create(connection.id, body, null));
  const { id } = execution;
  const startedMs = performance.now();
  const following = new AbortController();
  let isInterrupted = false;
  void stop.then(async () => {
    isInterrupted = true;
    say("Canceling. Press Ctrl-C again to quit at once.");
    await executions.cancel(connection.id, id).catch((error: Error) => {
      const hasEnded = error instanceof CallerError && error.code === "EXECUTION_FINISHED";
      if (!hasEnded) following.abort(error);
    });
  });

  const attending = context.attend(id).catch((error: Error) => following.abort(error));
  using lines = options.json === true ? null : createLiveLines();
  using questions = createTerminalQuestions({
    find: async () => {
      const open = await interactions.findOpen(connection.id, id);
      return open && interactions.toWire(open);
    },
    answer: async (answer) => void (await interactions.answer(connection.id, id, answer, "owner")),
    // With --json as well: somebody has to know where to answer.
    lines: lines ?? { print: write, setStatus() {}, [Symbol.dispose]() {} },
    terminal: isAttended ? { input: process.stdin, output: process.stderr } : null,
  });
  const last = await follow(await executions.followEvents(connection.id, id, 0, following.signal), lines, questions);
  following.signal.throwIfAborted();
  await attending;
  following.signal.throwIfAborted();

  const ended = await executions.get(connection.id, id);
  const folder = join(artifactFolder(config.dataDir), id);
  lines?.[Symbol.dispose]();
  // Steps go to standard error, the result to standard output. On a terminal, separate them with a blank line.
  if (lines !== null && process.stderr.isTTY && process.stdout.isTTY) process.stderr.write("\n");
  const consoleUrl = `${config.publicUrl}/console/executions/${id}`;
  const end: RunEnd = {
    folder: existsSync(folder) ? folder : null,
    durationMs: performance.now() - startedMs,
    consoleUrl,
    start: (await isServed(consoleUrl)) ? null : `errand start${config.commandOptions}`,
  };
  printResult(options.json, toWire(ended), describeResult(ended, last, end));
  process.exitCode = toExitCode(ended, isInterrupted);
}

/** Either a prompt or a file of steps. */
function toSource(prompt: string | undefined, { steps }: RunOptions, command: Command): PromptSource {
  if (prompt !== undefined && steps !== undefined)
    command.error("error: --steps replaces the prompt: give one of them");
  if (steps !== undefined) return { kind: "steps", path: steps };
  return { kind: "prompt", prompt: prompt ?? command.error("error: give a prompt, or a file of steps with --steps") };
}

/** Prints events as they arrive. Returns the last one when the execution has ended. */
async function follow(
  batches: Awaited<ReturnType<Executions["followEvents"]>>,
  lines: LiveLines | null,
  questions: TerminalQuestions,
): Promise<ExecutionEvent | null> {
  let last: ExecutionEvent | null = null;
  lines?.setStatus("Queued (another errand of this connection may be running)");
  for await (const batch of batches) {
    for (const event of batch) {
      const line = describeEvent(event);
      if (line !== null) lines?.print(line);
      if (event.type === "execution.started") lines?.setStatus("Working");
      questions.note(event);
      last = event;
    }
  }
  return last;
}

const RUN_EXIT_CODES = `
Exit codes:
  0    done and verified
  1    unexpected error
  2    wrong usage or invalid settings
  3    the errand failed; the reason is printed
  4    the user must sign in to the site again
  5    the prompt was not understood
  130  canceled with Ctrl-C`;

function toExitCode({ terminal }: ExecutionRecord, isInterrupted: boolean): number {
  switch (terminal?.status) {
    case "verified":
      return 0;
    case "reauthorization_required":
      return 4;
    case "unsupported_prompt":
      return 5;
    case "canceled":
      return isInterrupted ? 130 : 3;
    case "internal_error":
      return 1;
    default:
      return 3;
  }
}

/** The line to print for an event; null for events that are not shown. */
export function describeEvent({ type, data }: ExecutionEvent): string | null {
  switch (type) {
    case "execution.queued":
      return null;
    case "execution.started":
      return "Started";
    case "step":
      return describeStep(data);
    case "interaction":
      return describeInteraction(data);
    case "sign_in":
      return data["outcome"] === "renewed" ? "Signed in again with the stored credentials" : null;
    case "recipe":
      return describeRecipe(data);
    // Shown with the result.
    case "verification":
    case "execution.completed":
    case "execution.failed":
      return null;
  }
}

function describeRecipe({ outcome, version, step, reason, recipe_id: id }: ExecutionEvent["data"]): string | null {
  const why = `${step === undefined ? "" : ` at step ${clean(step)}`}: ${clean(reason)}`;
  switch (outcome) {
    case "used":
      return `Running recipe ${clean(id)}, version ${clean(version)}`;
    case "healed":
      return `The model took over from the recipe${step === undefined ? " after its last step" : ""}${why}`;
    case "failed":
      return `The recipe could not be followed${why}`;
    case "learned":
      return `Learned as recipe ${clean(id)}, version ${clean(version)}`;
    case "not_learned":
      return `Not learned as a recipe${why}`;
    case "set_aside":
      return "The recipe has failed several times in a row and is set aside";
    default:
      return null;
  }
}

/** What is said below the result of a run. */
interface RunEnd {
  /** Of the artifacts; null when there are none here. */
  readonly folder: string | null;
  readonly durationMs: number;
  readonly consoleUrl: string;
  /** The command that starts the service; null when it runs. */
  readonly start: string | null;
}

/** The result as text. `lastEvent` has the side effects of a failed errand and the model usage. */
export function describeResult(
  { terminal, result, error, credits, charged }: ExecutionRecord,
  lastEvent: ExecutionEvent | null,
  { folder, durationMs, consoleUrl, start }: RunEnd,
): string[] {
  const evidence = [
    ...(folder === null ? [] : [`Evidence: ${folder}`]),
    `Took ${(durationMs / 1_000).toFixed(1)} s, ${charged ? pluralize(credits, "credit") : "not charged"}`,
    `Console: ${consoleUrl}${start === null ? "" : ` (after ${start})`}`,
  ];
  if (result === null) {
    const [reason, message] = [clean(terminal?.reason), clean(error?.message)];
    return [
      paint(process.stdout, ["bold", "red"], `✗ Failed: ${terminal?.status.replaceAll("_", " ")}`),
      // The message often repeats the reason.
      ...(message.includes(reason) ? [message] : [reason, message]),
      ...describeChecks(lastEvent?.data["verifier"]),
      ...describeSideEffects(lastEvent?.data["side_effects"], terminal?.status !== "worker_lost"),
      ...describeCost(lastEvent?.data["cost"]),
      ...evidence,
    ];
  }
  return [
    paint(process.stdout, "bold", clean(result.final_text)),
    ...(result.extracted === null ? [] : [clean(JSON.stringify(result.extracted, null, 2))]),
    "",
    `${paint(process.stdout, ["bold", "green"], "✓ Verified:")} ${clean(result.evidence.verifier.reason)}`,
    ...describeSideEffects(result.evidence.side_effects, true),
    `Page: ${clean(result.final_title)} (${clean(result.final_url)})`,
    ...describeCost(lastEvent?.data["cost"]),
    ...evidence,
  ];
}

/** A line when something is asked, and one when it was answered. */
function describeInteraction({ state, message, answer }: ExecutionEvent["data"]): string {
  if (state === "open") return `Waiting for an answer: ${clean(message)}`;
  return `The question was ${clean(answer ?? state).replaceAll("_", " ")}`;
}

function describeStep(data: ExecutionEvent["data"]): string {
  const { step, action, input, outcome, message, why, cost } = data;
  const call = { action: clean(action), input: isRecord(input) ? input : {} };
  const problem = outcome === "failed" ? `: ${clean(message)}` : "";
  const reason = typeof why === "string" ? clean(why) : "";
  const number = `${String(step).padStart(3)}. `;
  const shownProblem = paint(process.stderr, "yellow", problem);
  // Without a model, the reason is the step itself in words.
  if (!isRecord(cost)) return `${number}${reason.replace(/\.$/, "") || clean(describeCall(call))}${shownProblem}`;
  const details = `${reason === "" ? "" : ` (${reason})`} ${formatUsage(cost)}`;
  return `${number}${clean(describeCall(call))}${shownProblem}${paint(process.stderr, "dim", details)}`;
}

function describeCost(cost: unknown): string[] {
  if (!isRecord(cost)) return [];
  const requests = Number(cost["requests"]);
  return [`Model: ${clean(cost["model"])}, ${formatUsage(cost)}, ${pluralize(requests, "request")}`];
}

function formatUsage({
  input_tokens,
  cached_input_tokens,
  output_tokens,
  duration_ms,
}: Record<string, unknown>): string {
  const count = (tokens: unknown) => Number(tokens).toLocaleString("en");
  const cached = Number(cached_input_tokens) > 0 ? ` (${count(cached_input_tokens)} cached)` : "";
  return `${count(input_tokens)} tokens in${cached}, ${count(output_tokens)} out, ${(Number(duration_ms) / 1_000).toFixed(1)} s`;
}

function describeChecks(verifier: unknown): string[] {
  const checks = isRecord(verifier) && Array.isArray(verifier["checks"]) ? verifier["checks"].filter(isRecord) : [];
  return checks.map(({ verdict, about, evidence }) => `  ${clean(verdict)}: ${clean(about)} (${clean(evidence)})`);
}

/** What was done in words, each with its requests. `isComplete` is false when the last actions of the run are unknown. */
function describeSideEffects(sideEffects: unknown, isComplete: boolean): string[] {
  const { done, rejected } = writeReceipt(sideEffects);
  return [
    `Changes: ${done.length === 0 ? "none" : done.length}${isComplete ? "" : ", as far as known"}`,
    ...done.flatMap(describeLine),
    ...(rejected.length === 0 ? [] : [`Rejected by the site: ${rejected.length}`]),
    ...rejected.flatMap(describeLine),
  ];
}

function describeLine({ text, sideEffects }: ReceiptLine): string[] {
  return [`  ${clean(text)}`, ...sideEffects.map((entry) => paint(process.stdout, "dim", describeSideEffect(entry)))];
}

function describeSideEffect({ type, method, url, status }: Readonly<Record<string, unknown>>): string {
  const parts = [type, method, url, status === null || status === undefined ? null : `→ ${status}`];
  return `    ${parts
    .filter((part) => part !== null && part !== undefined)
    .map(clean)
    .join(" ")}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
