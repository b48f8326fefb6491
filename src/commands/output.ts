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
