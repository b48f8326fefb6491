import { styleText } from "node:util";

/** With --json one JSON object on standard output, otherwise lines for a person. */
export function printResult(json: boolean | undefined, result: object, lines: string[]): void {
  process.stdout.write(`${json === true ? JSON.stringify(result) : lines.join("\n")}\n`);
}

/** In colour on a terminal that shows it; as it is in a pipe, and where NO_COLOR is set. */
export function paint(stream: NodeJS.WriteStream, format: Parameters<typeof styleText>[0], text: string): string {
  return styleText(format, text, { stream });
}

export interface CommonOptions {
  json?: boolean;
  dataDir?: string;
}

export const JSON_OPTION = ["--json", "print one JSON object and nothing else"] as const;
export const DATA_DIR_OPTION = ["--data-dir <folder>", "where the data is kept (default: ERRAND_DATA_DIR)"] as const;

/** What is being done, on standard error, for a person who waits; silent in scripts. */
export function showProgress(message: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${message} …\n`);
}

/** Lines on standard error, and below them, when nothing has come for a while, how long it has been quiet. */
export interface LiveLines extends Disposable {
  print(line: string): void;
  /** What the person is waiting for now. */
  waitFor(what: string): void;
}

const QUIET_MS = 2_000;
const TICK_MS = 1_000;
const CLEAR_LINE = "\r\u001b[K";

export function createLiveLines(): LiveLines {
  const isTerminal = process.stderr.isTTY;
  let what = "Working";
  let lastMs = performance.now();
  let isShown = false;

  function clear(): void {
    if (isShown) process.stderr.write(CLEAR_LINE);
    isShown = false;
  }

  const timer = setInterval(() => {
    const quietMs = performance.now() - lastMs;
    if (!isTerminal || quietMs < QUIET_MS) return;
    process.stderr.write(`${CLEAR_LINE}${what} … ${Math.round(quietMs / 1_000)} s`);
    isShown = true;
  }, TICK_MS);

  return {
    print(line) {
      clear();
      process.stderr.write(`${line}\n`);
      lastMs = performance.now();
    },
    waitFor(next) {
      what = next;
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      clear();
    },
  };
}
