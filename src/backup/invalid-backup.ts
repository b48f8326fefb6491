import { CallerError } from "../lib/caller-error.ts";

/** The file cannot be restored, and nothing was. */
export function invalidBackup(path: string, what: string, cause?: unknown): CallerError {
  return new CallerError("INVALID_BACKUP", `${path} cannot be restored: ${what}. Nothing was changed.`, { cause });
}
