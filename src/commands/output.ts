/** With --json one JSON object on standard output, otherwise lines for a person. */
export function printResult(json: boolean | undefined, result: object, lines: string[]): void {
  process.stdout.write(`${json === true ? JSON.stringify(result) : lines.join("\n")}\n`);
}

export interface CommonOptions {
  json?: boolean;
  dataDir?: string;
}

export const JSON_OPTION = ["--json", "print one JSON object and nothing else"] as const;
export const DATA_DIR_OPTION = ["--data-dir <folder>", "where the data is kept (default: ERRAND_DATA_DIR)"] as const;
