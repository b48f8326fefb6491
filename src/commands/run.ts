import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { ExecutionEvent } from "../contract/execution-event.ts";
import { toWire } from "../executions/execution-record.ts";
import type { Executions } from "../executions/executions.ts";
import { CallerError } from "../lib/caller-error.ts";
import { artifactFolder } from "../storage/artifact-folder.ts";
import { explainingLoss } from "./explain-database.ts";
import type { ConfigOptions } from "./load-config.ts";
import { DATA_DIR_OPTION, JSON_OPTION, printResult } from "./output.ts";
import { createLiveLines, type LiveLines } from "./progress.ts";
import { exitCodeOf, RUN_EXIT_CODES } from "./run-exit-code.ts";
import { describeEvent, describeResult } from "./run-output.ts";
import { untilSignal } from "./until-signal.ts";

interface RunOptions extends ConfigOptions {
  startUrl?: string;
  outputSchema?: string;
  application?: string;
  json?: boolean;
}

export function addRunCommand(program: Command): void {
  program
    .command("run")
    .description("run one errand from here, with its steps as they come")
    .argument("<prompt>", "the task in plain words")
    .option("--start-url <address>", "where it starts (default: the application's home page)")
    .option("--output-schema <file>", "a JSON Schema for the data to bring back")
    .option("--application <id>", 'run it for this application (default: one called "Command line")')
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", RUN_EXIT_CODES)
    .action(run);
}

async function run(prompt: string, options: RunOptions): Promise<void> {
  const { readRunRequest } = await import("./run-request.ts");
  const body = await readRunRequest(prompt, options);
  // Before anything opens, so that an impatient Ctrl-C during the first seconds still ends tidily.
  const stop = untilSignal();
  // Loaded here, so that the other commands need not wait for it.
  const { openRunPlace } = await import("./run-place.ts");
  const say = (text: string) => options.json === true || process.stderr.write(`\n${text}\n`);
  const onDatabaseAway = () => say("The database is out of reach: waiting for it.");
  await using place = await openRunPlace({ ...options, prompt, onDatabaseAway });
  const { executions, connection, config } = place;
  const { execution } = await explainingLoss(config, () => executions.create(connection.id, body, null));
  const { id } = execution;
  const following = new AbortController();
  let isInterrupted = false;
  void stop.then(async () => {
    isInterrupted = true;
    say("Canceling: Ctrl-C again leaves at once.");
    await executions.cancel(connection.id, id).catch((error: Error) => {
      const hasEnded = error instanceof CallerError && error.code === "EXECUTION_FINISHED";
      if (!hasEnded) following.abort(error);
    });
  });

  const attending = place.attend(id).catch((error: Error) => following.abort(error));
  using lines = options.json === true ? null : createLiveLines();
  const last = await follow(executions.followEvents(connection.id, id, 0, following.signal), lines);
  // Whoever leaves now stops the run, too.
  following.signal.throwIfAborted();
  await attending;
  following.signal.throwIfAborted();

  const ended = await executions.get(connection.id, id);
  const folder = join(artifactFolder(config.dataDir), id);
  lines?.[Symbol.dispose]();
  // Steps and result are two streams; where a person sees both, a line between them.
  if (lines !== null && process.stderr.isTTY && process.stdout.isTTY) process.stderr.write("\n");
  printResult(options.json, toWire(ended), describeResult(ended, last, existsSync(folder) ? folder : null));
  process.exitCode = exitCodeOf(ended, isInterrupted);
}

/** Shows the events as they come; the last one when the execution has ended. */
async function follow(
  batches: ReturnType<Executions["followEvents"]>,
  lines: LiveLines | null,
): Promise<ExecutionEvent | null> {
  let last: ExecutionEvent | null = null;
  lines?.waitFor("Waiting for its turn: another errand of this connection may be running");
  for await (const batch of batches) {
    for (const event of batch) {
      const line = describeEvent(event);
      if (line !== null) lines?.print(line);
      if (event.type === "execution.started") lines?.waitFor("Working");
      last = event;
    }
  }
  return last;
}
