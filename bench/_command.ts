interface Command<Options extends { json: boolean }, Result> {
  help: string;
  /** Null: only the help is wanted. */
  readOptions: (args: string[]) => Options | null;
  run: (options: Options, signal: AbortSignal) => Promise<Result>;
  format: (result: Result, options: Options) => string;
}

/** A benchmark as a command: prints its result as tables or as JSON, and cleans up on Ctrl-C. */
export async function runCommand<Options extends { json: boolean }, Result>(
  { help, readOptions, run, format }: Command<Options, Result>,
  args: string[] = process.argv.slice(2),
): Promise<void> {
  const signal = untilSignal();
  try {
    const options = readOptions(args);
    if (options === null) return void process.stdout.write(help);
    const result = await run(options, signal);
    process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : format(result, options));
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

/** Aborts on Ctrl-C. Again and again does no more: npm passes the same one on twice, and cleaning up is bounded. */
function untilSignal(): AbortSignal {
  const interrupted = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => interrupted.abort(new Error(`Interrupted by ${name}.`)));
  }
  return interrupted.signal;
}
