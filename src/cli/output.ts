import { styleText } from "node:util";

/** Prints one JSON object with --json, otherwise lines for a person, on standard output. */
export function printResult(json: boolean | undefined, result: object, lines: string[]): void {
  process.stdout.write(`${json === true ? JSON.stringify(result) : lines.join("\n")}\n`);
}

/** Removes control characters: text from pages and files must not control the terminal. */
export function clean(text: unknown): string {
  return String(text ?? "").replace(/(?!\n)[\p{Cc}\p{Bidi_Control}]/gu, "\ufffd");
}

/** Colours the text on a terminal that supports it, unless NO_COLOR is set. */
export function paint(stream: NodeJS.WriteStream, format: Parameters<typeof styleText>[0], text: string): string {
  return styleText(format, text, { stream });
}

/** One line per object, in columns that are as wide as necessary. */
export function toTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Date and time in UTC, to the minute. */
export function toMinute(date: Date): string {
  return date.toISOString().slice(0, 16).replace("T", " ");
}

/** Shows what the command is doing, on standard error; silent unless that is a terminal. */
export function showProgress(message: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${message} …\n`);
}

/** Prints lines on standard error. On a terminal, a status line shows what is going on while nothing is printed. */
export interface LiveLines extends Disposable {
  print(line: string): void;
  /** The text of the status line; null for none. */
  setStatus(status: string | null): void;
}

const QUIET_MS = 2_000;
const TICK_MS = 1_000;
const CLEAR_LINE = "\r\u001b[K";

export function createLiveLines(): LiveLines {
  const isTerminal = process.stderr.isTTY;
  let status: string | null = "Working";
  let lastMs = performance.now();
  let isShown = false;

  function clear(): void {
    if (isShown) process.stderr.write(CLEAR_LINE);
    isShown = false;
  }

  const timer = setInterval(() => {
    const quietMs = performance.now() - lastMs;
    if (!isTerminal || status === null || quietMs < QUIET_MS) return;
    process.stderr.write(`${CLEAR_LINE}${status} … ${Math.round(quietMs / 1_000)} s`);
    isShown = true;
  }, TICK_MS);

  return {
    print(line) {
      clear();
      process.stderr.write(`${line}\n`);
      lastMs = performance.now();
    },
    setStatus(next) {
      if (next === null) {
        clear();
        lastMs = performance.now();
      }
      status = next;
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      clear();
    },
  };
}

/** Whether a link to the service can be opened: the service need not run. */
export async function isServed(link: string): Promise<boolean> {
  const health = new URL("/healthz", link);
  return await fetch(health, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

const HEALTH_TIMEOUT_MS = 1_000;
