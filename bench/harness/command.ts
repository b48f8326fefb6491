interface Command<Options extends { json: boolean }, Result> {
  help: string;
  /** Null: print the help. */
  readOptions: (args: string[]) => Options | null;
  run: (options: Options, signal: AbortSignal) => Promise<Result>;
  format: (result: Result, options: Options) => string;
  /** Reasons why the result is not acceptable, printed after it. The command then exits with 1. */
  findFailures?: (result: Result) => string[];
}

/** Runs a benchmark as a command: prints its result as tables or as JSON, and cleans up on Ctrl-C. */
export async function runCommand<Options extends { json: boolean }, Result>(
  { help, readOptions, run, format, findFailures }: Command<Options, Result>,
  args: string[] = process.argv.slice(2),
): Promise<void> {
  const signal = abortOnInterrupt();
  try {
    const options = readOptions(args);
    if (options === null) return void process.stdout.write(help);
    const result = await run(options, signal);
    process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : format(result, options));
    const failures = findFailures?.(result) ?? [];
    if (failures.length > 0) throw new Error(failures.join("\n"));
  } catch (error) {
    process.stderr.write(`${(signal.aborted ? (signal.reason as Error) : (error as Error)).message}\n`);
    process.exitCode = 1;
  } finally {
    process.removeAllListeners("SIGINT").removeAllListeners("SIGTERM");
  }
}

export function showProgress(text: string): void {
  process.stderr.write(`${text} …\n`);
}

export function readWholeNumber(option: string, text: string, { min = 1, max }: { min?: number; max: number }): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new Error(`${option} must be a whole number from ${min} to ${max}.`);
  }
  return value;
}

export function readNumber(option: string, text: string, { min, max }: { min: number; max: number }): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value < min || value > max) {
    throw new Error(`${option} must be a number from ${min} to ${max}.`);
  }
  return value;
}

/** Only the first signal counts: npm forwards the same Ctrl-C a second time, and cleaning up has time limits. */
function abortOnInterrupt(): AbortSignal {
  const interrupted = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => interrupted.abort(new Error(`Interrupted by ${name}.`)));
  }
  return interrupted.signal;
}
