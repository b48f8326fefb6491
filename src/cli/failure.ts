import { CommanderError } from "commander";
import { ConfigError } from "../config/config.ts";
import { CallerError, describeError } from "../lib/errors.ts";

/** An invalid argument. The message names it and says what to write instead. */
export class UsageError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "UsageError";
  }
}

const FAILED = 1;
const WRONG_USAGE = 2;
const WRONG_USAGE_ERRORS = [CommanderError, ConfigError, UsageError];

/** Prints the error on standard error, as text or as one JSON object. Returns the exit code. */
export function reportFailure(error: unknown, json: boolean): number {
  if (error instanceof CommanderError && (error.exitCode === 0 || !json)) {
    // Commander has already printed its message or the requested help.
    return error.exitCode === 0 ? 0 : WRONG_USAGE;
  }
  const failure = describe(error);
  process.stderr.write(json ? `${JSON.stringify({ error: failure })}\n` : `${toText(failure)}\n`);
  return WRONG_USAGE_ERRORS.some((kind) => error instanceof kind) ? WRONG_USAGE : FAILED;
}

interface Failure {
  code: string;
  message: string;
  details?: { path: string; message: string }[];
}

function describe(error: unknown): Failure {
  if (error instanceof ConfigError) return { code: "INVALID_SETTINGS", message: error.message };
  if (error instanceof CallerError) {
    return {
      code: error.code,
      message: error.message,
      ...(error.details === undefined ? {} : { details: error.details }),
    };
  }
  if (error instanceof CommanderError || error instanceof UsageError)
    return { code: "WRONG_USAGE", message: error.message };
  return { code: "FAILED", message: describeError(error) };
}

/** Options are written with hyphens. */
function toText({ message, details = [] }: Failure): string {
  return [message, ...details.map((detail) => `  ${detail.path.replaceAll("_", "-")}: ${detail.message}`)].join("\n");
}
