import type { ExecutionRecord } from "../executions/execution-record.ts";

/** The exit codes of `errand run` beside those that every command has. */
export const RUN_EXIT_CODES = `
Exit codes:
  0    done, and verified
  1    something unexpected went wrong
  2    the command or the settings are wrong
  3    it failed: the reason is printed
  4    the user must sign in again first
  5    the prompt was not understood
  130  canceled with Ctrl-C`;

export function exitCodeOf({ terminal }: ExecutionRecord, isInterrupted: boolean): number {
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
