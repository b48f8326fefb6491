import { CommanderError } from "commander";
import { ConfigError } from "../config/config.ts";
import { CallerError, describeError, type ErrorDetail } from "../lib/errors.ts";

/** An invalid argument. The message names it and says what to write instead. */
export class UsageError extends Error {
  readonly details: ErrorDetail[] | undefined;

  constructor(message: string, options: { cause?: unknown; details?: ErrorDetail[] } = {}) {
    super(message, { cause: options.cause });
    this.name = "UsageError";
    this.details = options.details;
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
  details?: ErrorDetail[];
}

function describe(error: unknown): Failure {
  if (error instanceof ConfigError) return { code: "INVALID_SETTINGS", message: error.message };
  if (error instanceof CommanderError) return { code: "WRONG_USAGE", message: error.message };
  if (error instanceof CallerError || error instanceof UsageError) {
    return {
      code: error instanceof UsageError ? "WRONG_USAGE" : error.code,
      message: error.message,
      ...(error.details === undefined ? {} : { details: error.details }),
    };
  }
  return { code: "FAILED", message: describeError(error) };
}

/** Options are written with hyphens. The names of variables are the user's own. */
function toOption(path: string): string {
  return path.startsWith("variables.") ? path : path.replaceAll("_", "-");
}

function toText({ message, details = [] }: Failure): string {
  return [message, ...details.map((detail) => `  ${toOption(detail.path)}: ${detail.message}`)].join("\n");
}
